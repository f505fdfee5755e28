// Command annotatorsbench measures losscorr audit --answers beside crowd-kit and cleanlab:
//
//	make annotators-benchmark PYTHON=.venv/bin/python ARGS='-sentiment DIR -sentiment-features FILE.npy -cifar10n DIR -cifar10n-features FILE.npy'
//
// DIR holds sentences.csv (task,text,truth) and answers.csv (task,worker,label) of Sentiment
// (Rodrigues et al. 2013), and labels.csv (file_name,truth,random1,random2,random3) of CIFAR-10N
// (Wei et al. 2022). The features [N D] are in the order of the sentences, and of the names of
// the images.
package main

import (
	"context"
	"flag"
	"io"
	"os"
	"strings"

	"github.com/losscorr/losscorr/internal/tool"
	"github.com/losscorr/losscorr/tools/annotatorsbench"
)

func main() { os.Exit(tool.Main("annotatorsbench", os.Stdout, run)) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("annotatorsbench", flag.ContinueOnError)
	var o annotatorsbench.Options
	flags.StringVar(&o.Program, "losscorr", "build/losscorr", "the program")
	flags.StringVar(&o.Python, "python", "", "interpreter with cleanlab and crowd-kit, to measure beside")
	flags.StringVar(&o.Work, "work", "", "folder for data and audits (default: a temporary one)")
	flags.StringVar(&o.Sentiment, "sentiment", "", "folder of Sentiment")
	flags.StringVar(&o.SentimentFeatures, "sentiment-features", "", "NPY file of its features")
	flags.StringVar(&o.CIFAR10N, "cifar10n", "", "folder of CIFAR-10N")
	flags.StringVar(&o.CIFAR10NFeatures, "cifar10n-features", "", "NPY file of the features of CIFAR-10's training images")
	flags.IntVar(&o.Images, "images", 24_000, "images of CIFAR-10N that are drawn")
	without := flags.String("without", "", "methods that are left out, separated by commas, such as 'crowd-kit GLAD'")
	parts := flags.String("parts", "", "what is measured, separated by commas: "+strings.Join(annotatorsbench.Parts(), ", ")+" (default: all)")
	flags.IntVar(&o.Seeds, "seeds", 5, "draws of first answers, of splits and of checks")
	flags.StringVar(&o.Out, "out", "", "folder of the CSV files of the figures")
	if err := flags.Parse(args); err != nil {
		return err
	}
	o.Without = strings.Split(*without, ",")
	if *parts != "" {
		o.Parts = strings.Split(*parts, ",")
	}
	return annotatorsbench.Run(ctx, o, out)
}
