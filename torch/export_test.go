package torch

// For tests.
var (
	ParseArchitectures = parseArchitectures
	Supports           = supports
	MissingLibrary     = missingLibrary
)

// HasDriver reports whether NVIDIA's driver is installed. Open comes first.
func HasDriver() bool { return library.driverErr == nil }
