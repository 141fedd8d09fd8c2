// a slash in the question, which names the lab
