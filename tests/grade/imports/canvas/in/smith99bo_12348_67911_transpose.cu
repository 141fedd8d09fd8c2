// another lab
