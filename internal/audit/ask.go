package audit

import (
	"strconv"

	"github.com/losscorr/losscorr/correction/annotators"
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

// nat is one nat in bits.
const nat = 1.4426950408889634

// WriteQuestions writes ask.csv, the examples that gain most by one more answer first.
func (f *Folder) WriteQuestions(list []Question) error {
	return writeTable(f, AskFile, list, func(q Question) []string {
		return []string{q.Task, q.Label, decimal(&q.Probability, 6), strconv.Itoa(q.Answers), q.Worker,
			decimal(&q.Gain, 6), decimal(&q.Anyone, 6)}
	})
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
