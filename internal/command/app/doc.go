// Package app is what the commands of losscorr share: reading a command line, its flags and their
// environment variables, progress, what a signal stops, errors and their exit codes. It prints for
// people on standard error and data on standard output.
package app
