package app

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// Examples maps each command without subcommands to example arguments, shown in its help.
var Examples = map[string]string{
	"demo":                   "",
	"train":                  "run.yaml noise.level=.4 --seeds 1-5",
	"audit":                  "photos/ --labels labels.csv",
	"check":                  "photos/",
	"review":                 "audits/photos",
	"export":                 "audits/photos photos-corrected",
	"predict":                "runs/photos new/ --out classes.csv",
	"noisify":                "labels.csv --noise symmetric:.2 --out noisy.csv",
	"grid plan":              "study.yaml --out runs/study",
	"grid run":               "runs/study --jobs 2",
	"grid exec":              "--plan runs/study --index 3",
	"grid status":            "runs/study",
	"grid submit slurm":      "runs/study --site site.yaml",
	"grid submit kubernetes": "runs/study --site site.yaml",
	"report":                 "runs/mnist --out report",
	"config show":            "run.yaml --resolved",
	"config schema":          "",
	"doctor":                 "--device cuda",
	"setup":                  "--cuda",
	"encoders list":          "",
	"encoders get":           "efficientnet-lite2",
	"encoders add":           "efficientnet-lite2 efficientnet-lite2-9656183e.pth",
	"completion":             "bash",
	"version":                "--json",
}

// Explained adds an example to each command. parent is the program with the commands above.
func Explained(parent string, commands []*cli.Command) []*cli.Command {
	for _, c := range commands {
		name := parent + " " + c.Name
		if args, ok := Examples[strings.TrimPrefix(name, "losscorr ")]; ok {
			example := "example: " + strings.TrimSpace(name+" "+args)
			c.Description = strings.TrimPrefix(c.Description+"\n\n"+example, "\n\n")
		}
		Explained(name, c.Subcommands)
	}
	return commands
}
