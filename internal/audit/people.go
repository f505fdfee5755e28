package audit

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/rows"
)

// People is the part of a summary about people who have labelled the same examples.
type People struct {
	People  int     `json:"people"`
	Answers int     `json:"answers"`
	Wrong   float64 `json:"wrong_answers"` // expected number
	Network float64 `json:"exponent_network"`
	Persons float64 `json:"exponent_people"`

	Ranked []Person `json:"ranked"` // best first, by the low end of their accuracy's interval
	Copies []Copies `json:"copies"` // pairs who agree more than independent people would
	Asked  int      `json:"asked"`  // examples in ask.csv; 0 without it
}

// Person is a line of annotators.csv.
type Person struct {
	Name    string `json:"name"`
	Row     int    `json:"row"` // in T_annotators.npy
	Answers int    `json:"answers"`
	// on examples that others or the network have judged; nil if there are none
	Accuracy *float64            `json:"accuracy"`
	Interval correction.Interval `json:"interval"`
	Chance   *float64            `json:"chance"` // accuracy if the same labels were given at random
	// share of other people's answers to the same examples that agree; nil if there are none
	Others   *float64 `json:"others"`
	Network  *float64 `json:"network"`  // share of the answers that agree with the network
	Verdict  string   `json:"verdict"`  // compared with chance
	Confuses string   `json:"confuses"` // the most frequent confusion
}

// Copies is a pair of people who agree more than independent people would.
type Copies struct {
	First    string  `json:"first"`
	Second   string  `json:"second"`
	Shared   int     `json:"shared"`
	Same     int     `json:"same"`
	Expected float64 `json:"expected"`
}

// WriteCrowd writes the files of several people's answers: consensus.csv in the order of the data, answers.csv with
// the likeliest mistakes first, annotators.csv with the best people first, T_annotators.npy [R C C] in the order of
// "row" in summary.json, and likelihoods.npy.
func (f *Folder) WriteCrowd(p *PeopleReport, ranked []Person) error {
	train, given, q, classes := p.Train, p.Answers, p.Consensus, p.Answers.Classes
	i := -1 // of the example
	err := writeTable(f, ConsensusFile, q.Label, func(label int) []string {
		i++
		sure := q.Sure(i)
		return []string{train.ID(i), classes[label], decimal(&sure, 6), strconv.Itoa(len(given.Of(i)))}
	})
	err = cmp.Or(err, writeTable(f, AnswersFile, p.Wrong(), func(x annotators.Answer) []string {
		wrong := q.Wrong(x)
		return []string{train.ID(int(x.Task)), given.Workers[x.Worker], classes[x.Label], decimal(&wrong, 6)}
	}), writeTable(f, AnnotatorsFile, ranked, func(p Person) []string {
		return []string{p.Name, strconv.Itoa(p.Answers), decimal(p.Accuracy, 6), decimal(&p.Interval.Low, 6),
			decimal(&p.Interval.High, 6), decimal(p.Chance, 6), decimal(p.Others, 6), decimal(p.Network, 6), p.Verdict,
			p.Confuses}
	}))
	if err != nil {
		return err
	}
	var t []float32
	for _, m := range q.T {
		for k := range classes {
			for _, v := range m.Row(k) {
				t = append(t, float32(v))
			}
		}
	}
	if err := npy.WriteFloat32(f.Path(AnnotatorsTFile), t, len(classes), len(classes)); err != nil {
		return err
	}
	return npy.WriteFloat32(f.Path(LikelihoodsFile), q.Likelihoods(given), len(classes))
}

// Consensus reads the labels of consensus.csv, in the order of the data.
func (f *Folder) Consensus() (labels []Label, err error) {
	err = f.readTable(ConsensusFile, func(r []string) error {
		labels = append(labels, Label{r[0], r[1]})
		return nil
	})
	return labels, err
}

// Targets returns the folder's training targets by the loss that uses them.
func (f *Folder) Targets() (map[string]string, error) {
	targets := map[string]string{"soft": ProbabilitiesFile, "answers": LikelihoodsFile}
	for loss, name := range targets {
		path, err := filepath.Abs(f.Path(name))
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			return nil, f.damaged(name, "%w", err)
		}
		targets[loss] = path
	}
	return targets, nil
}

// VotesFile has the most frequent answer to each example, one per line in the order of the data: the labels of own
// data that has only several people's answers. NamedVotesFile adds the names of the examples, if there is no other
// data. Both are in RunsDir.
const (
	VotesFile      = "votes.txt"
	NamedVotesFile = "votes.csv"
)

// WriteVotes writes a label for each example. If names is not nil, it names the examples in NamedVotesFile.
func (f *Folder) WriteVotes(labels, names []string) error {
	runs := At(f.Path(RunsDir))
	if names != nil {
		votes := make([]Label, len(names))
		for i, label := range labels {
			votes[i] = Label{names[i], label}
		}
		return writeTable(runs, NamedVotesFile, votes, Label.cells)
	}
	var text strings.Builder
	for _, label := range labels {
		text.WriteString(rows.Cell(label) + "\n")
	}
	return runs.write(VotesFile, []byte(text.String()))
}

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
