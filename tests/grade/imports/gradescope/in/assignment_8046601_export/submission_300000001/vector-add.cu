// solo
