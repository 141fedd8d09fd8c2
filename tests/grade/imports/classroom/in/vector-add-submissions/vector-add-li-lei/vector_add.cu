// a login with a dash
