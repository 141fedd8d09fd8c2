// a name that is no lab's
