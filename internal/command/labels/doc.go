// Package labels is the commands of a user's own data and its labels: audit and review them, write them
// back, train on them and predict others.
package labels

import (
	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
)

// Commands are the commands of a user's own data and its labels.
type Commands struct{ app.Program }

// All are those of data, as the help shows them.
func (p Commands) All() []*cli.Command {
	return []*cli.Command{
		p.demoCommand(), p.trainCommand(), p.auditCommand(), p.checkCommand(), p.reviewCommand(), p.exportCommand(),
		p.predictCommand(), p.noisifyCommand(), p.simulateCommand(),
	}
}
