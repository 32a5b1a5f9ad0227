// Loaded into a program (LD_PRELOAD), it counts the steps of SQLite's virtual machine and writes their number
// into the file of STEPS_FILE when the program ends.
