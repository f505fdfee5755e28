// Command auditbench measures how well losscorr audit finds wrong labels, beside cleanlab
// where Python has it:
//
//	make audit-benchmark                             with the cleanlab of python3, if it has one
//	make audit-benchmark PYTHON=.venv/bin/python     with another
//	make audit-benchmark ARGS='-data DIR'            with IMDB from DIR/imdb/aclImdb_v1.tar.gz
//	make audit-benchmark ARGS='-mistakes DIR'        with real mistakes (cleanlab/label-errors)
//	make audit-benchmark ARGS='-only reviews -data DIR -out results/audit/reviews.csv'     by each view
//	make audit-benchmark ARGS='-only few -data DIR -out results/audit/few.csv'     1,000 to 8,000 reviews
//	make human-benchmark ARGS='-only sentences -sentiment DIR -out results/human/sentences.csv'     people's answers
//	make audit-benchmark ARGS='-only topics -packages DIR -out results/audit/topics.csv'     15 classes of texts
//	make audit-benchmark ARGS='-only photos -photos DIR -backbone FILE -out results/audit/photos.csv'
//	make audit-benchmark ARGS='-only copies -photos DIR -out results/audit/duplicates.csv'     altered copies
//	make audit-benchmark ARGS='-only unusual -photos DIR -out results/audit/unusual.csv'     pictures of no class
//	make human-benchmark ARGS='-features X.npy -names X.txt -people labels.csv'     labels that people gave
//	make human-benchmark ARGS='-only clean -features ... -out results/human/clean.csv'     true labels
//	make human-benchmark ARGS='-only errors -mistakes DIR -out results/human/label-errors.csv'     judged labels
//	make human-benchmark ARGS='-only train -draws 3 -examples 10000 -features ... -out results/audit/train.csv'     accuracy by what is trained on
//	make audit-benchmark ARGS='-only time,memory'    60,000 x 784 beside scikit-learn, 1,000,000 x 512
package main

import (
	"context"
	"flag"
	"io"
	"os"
	"strings"

	"github.com/losscorr/losscorr/internal/tool"
	"github.com/losscorr/losscorr/tools/auditbench"
)

func main() { os.Exit(tool.Main("auditbench", os.Stdout, run)) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("auditbench", flag.ContinueOnError)
	var o auditbench.Options
	flags.StringVar(&o.Program, "losscorr", "build/losscorr", "the program")
	flags.StringVar(&o.Python, "python", "python3", "interpreter whose cleanlab is measured beside")
	flags.StringVar(&o.Data, "data", "", "folder of data sets (default: $LOSSCORR_DATA, data)")
	flags.StringVar(&o.Mistakes, "mistakes", "", "folder of real mistakes: files of the repository cleanlab/label-errors")
	flags.StringVar(&o.Sentiment, "sentiment", "", "folder of sentences.csv (task,text,truth) and answers.csv (task,worker,label), for the part sentences")
	flags.StringVar(&o.Packages, "packages", "", "folder of the files Packages and Translation-en of a release of Debian, unpacked, for the part topics")
	flags.StringVar(&o.Photos, "photos", "", "folder of folders of images, for the part photos")
	flags.StringVar(&o.Backbone, "backbone", "", "pretrained network for the photos, as in losscorr audit --backbone")
	flags.StringVar(&o.People.Features, "features", "", "features [N D] of the examples that people labelled (NPY), for the parts human, clean, noticed and train")
	flags.StringVar(&o.People.Names, "names", "", "text file with the name of each row of the features")
	flags.StringVar(&o.People.Labels, "people", "", "CSV of file_name, truth and the labels of three people")
	flags.IntVar(&o.People.Examples, "examples", 24000, "examples of a draw of the parts human, noticed and train")
	flags.IntVar(&o.People.Draws, "draws", 5, "draws of examples and labels")
	trained := flags.String("treatments", "", "of the part train, measure these alone, separated by commas: given, gce, elr, forward, corrected, kept")
	flags.StringVar(&o.Views, "views", "", "how the data of the parts photos and reviews is looked at, separated by commas, as in losscorr audit --view (default: own,efficientnet-lite2; tfidf,words,minilm,auto)")
	flags.StringVar(&o.Out, "out", "", "CSV file of the figures")
	flags.StringVar(&o.Work, "work", "", "folder for data and audits (default: a temporary one)")
	only := flags.String("only", "", "measure these, separated by commas: "+strings.Join(auditbench.Parts(), ", "))
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *only != "" {
		o.Parts = strings.Split(*only, ",")
	}
	if *trained != "" {
		o.People.Treatments = strings.Split(*trained, ",")
	}
	return auditbench.Run(ctx, o, out)
}
