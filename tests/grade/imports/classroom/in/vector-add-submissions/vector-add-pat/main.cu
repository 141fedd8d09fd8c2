// the assignment names the lab
