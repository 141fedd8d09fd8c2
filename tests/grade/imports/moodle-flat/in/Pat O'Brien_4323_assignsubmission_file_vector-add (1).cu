// Pat
