// a group of two
