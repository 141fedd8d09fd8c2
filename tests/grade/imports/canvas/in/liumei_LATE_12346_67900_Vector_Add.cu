// late, in disguise
