package command_test

import (
	"fmt"
	"os"
	"testing/fstest"

	"github.com/losscorr/losscorr/internal/command"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/store"
)

func ExampleProgram_Experiment() {
	files := fstest.MapFS{"mnist/mnist.yaml": {Data: []byte("dataset: mnist\ngrid: {loss: [forward, backward]}\n")}}
	p := command.Program{Program: app.Program{Stderr: os.Stdout}}
	code := p.Experiment("mnist", files, []string{"mnist", "--loss", "foward", "--dry-run"})
	fmt.Println("exit code", code)
	// Output:
	// mnist: override loss=["foward"]: loss: unknown loss "foward", did you mean "forward"?
	// exit code 78
}

func ExampleExit() {
	err := &grid.StoppedError{Done: 3, Total: 20, Err: store.ErrStopped}
	fmt.Println(app.Exit(err), err)
	// Output: 75 stopped after a checkpoint with 3 of 20 runs done; run the same command again to resume
}
