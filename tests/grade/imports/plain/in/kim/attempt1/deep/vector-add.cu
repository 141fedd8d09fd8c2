// deep
