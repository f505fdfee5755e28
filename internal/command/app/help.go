package app

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Examples holds a command line for each command that has no commands of its own. Its help
// shows it.
var Examples = []string{
	"losscorr demo",
	"losscorr train run.yaml noise.level=.4 --seeds 1-5",
	"losscorr audit photos/ --labels labels.csv",
	"losscorr check photos/",
	"losscorr review audits/photos",
	"losscorr export audits/photos photos-corrected",
	"losscorr predict runs/photos new/ --out classes.csv",
	"losscorr noisify labels.csv --noise symmetric:.2 --out noisy.csv",
	"losscorr grid plan study.yaml --out runs/study",
	"losscorr grid run runs/study --jobs 2",
	"losscorr grid exec --plan runs/study --index 3",
	"losscorr grid status runs/study",
	"losscorr grid submit slurm runs/study --site site.yaml",
	"losscorr grid submit kubernetes runs/study --site site.yaml",
	"losscorr report runs/mnist --out report",
	"losscorr config show run.yaml --resolved",
	"losscorr config schema",
	"losscorr doctor --device cuda",
	"losscorr setup --cuda",
	"losscorr encoders list",
	"losscorr encoders get efficientnet-lite2",
	"losscorr encoders add efficientnet-lite2 efficientnet-lite2-9656183e.pth",
	"losscorr completion bash",
	"losscorr version --json",
}

// Explained gives each command its example.
func Explained(parent string, commands []*cli.Command) []*cli.Command {
	for _, c := range commands {
		name := parent + " " + c.Name
		for _, example := range Examples {
			if example == name || strings.HasPrefix(example, name+" ") &&
				!slices.ContainsFunc(c.Subcommands, func(c *cli.Command) bool {
					return !c.Hidden
				}) {
				c.Description = strings.TrimPrefix(c.Description+"\n\nexample: "+example, "\n\n")
			}
		}
		Explained(name, c.Subcommands)
	}
	return commands
}
