// second
