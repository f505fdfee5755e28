// Command scaling measures how cost grows, with a table, a CSV file and a plot of each
// cost:
//
//	make scaling                                        everything, about 15 minutes on two idle cores
//	make scaling ARGS='-only estimator-classes'         one subject; see -help for their names
//	make scaling ARGS='-quick -out build/scaling'       small ranges, to see that it works
package main

import (
	"context"
	"flag"
	"io"
	"os"
	"strings"

	"github.com/losscorr/losscorr/internal/tool"
	"github.com/losscorr/losscorr/tools/scaling"
)

func main() { os.Exit(tool.Main("scaling", os.Stdout, run)) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("scaling", flag.ContinueOnError)
	var o scaling.Options
	flags.BoolVar(&o.Quick, "quick", false, "small ranges and single measurements, to see that it works")
	flags.StringVar(&o.Out, "out", "", "folder of "+scaling.CSVFile+" and the plots")
	only := flags.String("only", "", "measure these, separated by commas: "+strings.Join(scaling.Subjects(), ", "))
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *only != "" {
		o.Subjects = strings.Split(*only, ",")
	}
	return scaling.Run(ctx, o, out)
}
