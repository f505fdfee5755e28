// Package runs is the commands of configurations and their runs: doing one or a grid of them, here or on
// a cluster, and what is shown of the results.
package runs

import (
	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
)

// Commands are the commands of runs.
type Commands struct{ app.Program }

// All are all of them, as the help shows them.
func (p Commands) All() []*cli.Command {
	return []*cli.Command{p.gridCommand(), p.reportCommand(), p.configCommand()}
}
