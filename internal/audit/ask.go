package audit

import (
	"strconv"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/rows"
)

// Question is a line of ask.csv: an example that is worth one more answer.
type Question struct {
	Task        string
	Label       string  // the consensus
	Probability float64 // of Label
	Answers     int     // number of answers so far
	Worker      string  // who should answer
	Gain        float64 // expected information of Worker's answer, in bits
	Anyone      float64 // expected information of a new person's answer, in bits
}

var askHeader = []string{"task", "label", "probability", "answers", "worker", "gain", "gain_anyone"}

// nat is one nat in bits.
const nat = 1.4426950408889634

// WriteQuestions writes ask.csv, the examples that gain most by one more answer first.
func (f *Folder) WriteQuestions(list []Question) error {
	records := make([][]string, len(list))
	for n, q := range list {
		records[n] = []string{rows.Cell(q.Task), rows.Cell(q.Label), decimal(q.Probability), strconv.Itoa(q.Answers),
			rows.Cell(q.Worker), decimal(q.Gain), decimal(q.Anyone)}
	}
	return f.writeCSV(AskFile, askHeader, records)
}

// NewQuestions returns the lines of ask.csv, never nil.
func (p *PeopleReport) NewQuestions(asked []annotators.Question) []Question {
	list := make([]Question, len(asked))
	for n, x := range asked {
		list[n] = Question{Task: p.Train.ID(x.Task), Label: p.Answers.Classes[p.Consensus.Label[x.Task]],
			Probability: p.Consensus.Sure(x.Task), Answers: len(p.Answers.Of(x.Task)), Worker: p.Answers.Workers[x.Worker],
			Gain: x.Gain * nat, Anyone: x.Anyone * nat}
	}
	return list
}
