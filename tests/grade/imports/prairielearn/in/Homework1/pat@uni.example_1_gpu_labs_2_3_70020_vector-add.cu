// an underscore in the question
