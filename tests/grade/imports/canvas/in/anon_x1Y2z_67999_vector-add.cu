// anonymous marking
