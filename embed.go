// Package losscorr carries what a lone binary needs to build the rest, the sources of the
// libtorch shim, compiled on the machine where they run, and the licences.
package losscorr

import "embed"

// Version is the program's release, printed by losscorr --version and written
// into every result.
const Version = "0.1.0"

// Licence is the project's own.
//
//go:embed LICENSE
var Licence string

// Notices holds the licences of the code that the programs contain; make notices writes it.
//
//go:embed THIRD_PARTY_NOTICES.txt
var Notices string

// Sources holds CMakeLists.txt and cgo/, the C ABI and the C++ behind it.
//
//go:embed CMakeLists.txt cgo
var Sources embed.FS
