package audit

import (
	"fmt"
	"strconv"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/rows"
)

// Question is a line of ask.csv: an example that is worth one more answer.
type Question struct {
	Task        string
	Label       string  // of the consensus
	Probability float64 // of Label
	Answers     int     // that it has
	Worker      string  // who should answer
	Gain        float64 // expected information of that answer, in bits
	Anyone      float64 // of that of a person of whom nothing is known
}

var askHeader = []string{"task", "label", "probability", "answers", "worker", "gain", "gain_anyone"}

// nat is 1 nat in bits.
const nat = 1.4426950408889634

// WriteQuestions writes ask.csv: the examples of train that gain most by one more answer, first.
func (f *Folder) WriteQuestions(train dataset.Split, answers *annotators.Answers, q *annotators.Consensus,
	asked []annotators.Question) error {
	records := make([][]string, len(asked))
	for n, x := range asked {
		records[n] = []string{
			rows.Cell(train.ID(x.Task)), rows.Cell(answers.Classes[q.Label[x.Task]]), decimal(q.Sure(x.Task)),
			strconv.Itoa(len(answers.Of(x.Task))),
			rows.Cell(answers.Workers[x.Worker]), decimal(x.Gain * nat), decimal(x.Anyone * nat),
		}
	}
	return f.writeCSV(AskFile, askHeader, records)
}

// Questions reads ask.csv.
func (f *Folder) Questions() (list []Question, err error) {
	err = f.readCSV(AskFile, askHeader, func(r []string) error {
		q := Question{Task: rows.Original(r[0]), Label: rows.Original(r[1]), Worker: rows.Original(r[4])}
		if q.Answers, err = strconv.Atoi(r[3]); err != nil {
			return fmt.Errorf("answers %q, want a number", r[3])
		}
		for column, to := range map[int]*float64{2: &q.Probability, 5: &q.Gain, 6: &q.Anyone} {
			if *to, err = strconv.ParseFloat(r[column], 64); err != nil {
				return fmt.Errorf("%s %q, want a number", askHeader[column], r[column])
			}
		}
		list = append(list, q)
		return nil
	})
	return list, err
}
