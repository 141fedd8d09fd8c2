// dated
