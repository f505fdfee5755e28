// Losscorr trains deep networks through label noise, by the loss correction of
// Patrini et al., CVPR 2017.
package main

import (
	"os"

	"github.com/losscorr/losscorr/internal/command"
)

func main() { os.Exit(command.Main(os.Args)) }
