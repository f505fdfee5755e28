// Package app is shared by all losscorr commands: command lines, flags and their environment variables, progress,
// signals, errors and exit codes. Messages for people go to standard error, data to standard output.
package app
