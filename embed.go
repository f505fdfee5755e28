// Package losscorr carries what a lone binary needs to build the rest: the
// sources of the libtorch shim, compiled on the machine where they run.
package losscorr

import "embed"

// Version is the program's release, printed by losscorr --version and written
// into every result.
const Version = "0.1.0"

// Sources holds CMakeLists.txt and cgo/, the C ABI and the C++ behind it.
//
//go:embed CMakeLists.txt cgo
var Sources embed.FS
