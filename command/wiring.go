package command

// Default is the program that Main and Experiment run.
var Default Program
