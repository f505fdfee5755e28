// Package losscorr carries what a lone binary needs: the sources of the libtorch shim, compiled on the
// machine where they run, the configurations of the paper's experiments, and the licences.
package losscorr

import (
	"embed"
	"io/fs"
)

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

//go:embed experiments/*.yaml experiments/*/*.yaml
var experiments embed.FS

// Experiments returns the configurations of the paper's experiments, each in its folder:
//
//	document, err := config.ReadFS(losscorr.Experiments(), "mnist/mnist.yaml")
func Experiments() fs.FS {
	files, err := fs.Sub(experiments, "experiments")
	if err != nil {
		panic(err) // the name is valid
	}
	return files
}

// Schema is the JSON Schema of configuration files. Run go generate after a change of the settings.
//
//go:generate go run ./tools/schema
//go:embed experiments/schema.json
var Schema []byte
