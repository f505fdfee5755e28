package find

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/shell"
)

// softLoss is the loss of networks that learn from several people's answers.
const softLoss = "soft"

// crowdRounds is how often networks are trained: on the votes, and on the consensus that came
// of that.
const crowdRounds = 2

// Crowd is the answers of several people to the examples of an audit, in its order.
type Crowd struct {
	*annotators.Answers
	File string                // that they are of
	Ask  annotators.AskOptions // what to ask next; Count is 0 for nothing
}

// NewCrowd gives the answers of a file to examples, by their names. Findings say what does not
// match. It is an error if no answer is to one of the examples.
func NewCrowd(file string, given *own.Answers, names []string) (c *Crowd, findings []string, err error) {
	place := make(map[string]int32, len(names))
	for k, name := range names {
		place[norm.NFC.String(name)] = int32(k)
	}
	var list []annotators.Answer
	var foreign []string
	answered := map[int32]bool{}
	for _, x := range given.List {
		at, known := place[norm.NFC.String(given.Tasks[x.Task])]
		if !known {
			foreign = append(foreign, given.Tasks[x.Task])
			continue
		}
		answered[at] = true
		list = append(list, annotators.Answer{Task: at, Worker: x.Worker, Label: x.Label})
	}
	if len(list) == 0 {
		return nil, nil, dataset.Errorf("%s: no answer is to an example of the data: it has names such as %q, the data has "+
			"%q (--task, --id)", file, given.Tasks[0], names[0])
	}
	if len(foreign) > 0 {
		findings = append(findings, fmt.Sprintf("%d answers are to examples that the data does not have, such as %q",
			len(foreign), foreign[0]))
	}
	if none := len(names) - len(answered); none > 0 {
		findings = append(findings, fmt.Sprintf("%d examples have no answer: their label is that of the networks, or the "+
			"most frequent one", none))
	}
	answers, err := annotators.New(len(names), given.Workers, given.Classes, list)
	if err != nil {
		return nil, nil, dataset.Errorf("%s: %w", file, err)
	}
	return &Crowd{Answers: answers, File: file}, findings, nil
}

// Votes returns the most frequent answer to each example, the most frequent of all where there is
// none. Each class is the label of one example at least, so that the data has all of them: of those
// with the largest share of the class.
func (c *Crowd) Votes() (labels []string, err error) {
	votes, err := annotators.Estimate(c.Answers, annotators.Options{Method: "majority"})
	if err != nil {
		return nil, err
	}
	count := make([]int, len(c.Classes))
	for _, y := range votes.Label {
		count[y]++
	}
	voted := slices.Clone(votes.Label)
	for k, n := range count {
		if n > 0 {
			continue
		}
		best := -1
		for i, y := range voted {
			if count[y] > 1 && (best < 0 || votes.Of(i)[k] > votes.Of(best)[k]) {
				best = i
			}
		}
		if best < 0 {
			return nil, dataset.Errorf("%s: %d examples for %d classes", c.File, len(voted), len(c.Classes))
		}
		count[voted[best]]--
		voted[best], count[k] = k, 1
	}
	labels = make([]string, len(voted))
	for i, y := range voted {
		labels[i] = c.Classes[y]
	}
	return labels, nil
}

// consensus is what an audit finds where several people have labelled the examples.
type consensus struct {
	*annotators.Consensus
	people  []annotators.Person
	copies  []annotators.Copy
	asked   []annotators.Question
	network bool
}

// agree finds the consensus. Networks learn from the votes, each without one part of the data; their predictions and
// the answers give a first consensus, and networks that learn from that give the second, whose labels are then audited.
// Networks that predict the answers worse than the answers do themselves are not used.
func (a work) agree(ctx context.Context, f *audit.Folder, found *finding) error {
	answers, classes := a.Crowd.Answers, len(a.Data.Classes)
	if !slices.Equal(a.Data.Classes, answers.Classes) {
		return dataset.Errorf("the data has the classes %v, the answers %v", a.Data.Classes, answers.Classes)
	}
	g := a.Probabilities
	if g == nil && !a.learns() && !slices.ContainsFunc(answers.List, func(x annotators.Answer) bool {
		return len(answers.Of(int(x.Task))) > 1
	}) {
		return dataset.Errorf("%s: no two people have answered the same example, so that nothing says which answers are "+
			"right: give the examples, too (losscorr audit DATA --answers %s), and look whether all people name them alike",
			a.Crowd.File, shell.Word(a.Crowd.File))
	}
	var q *annotators.Consensus
	var err error
	if a.learns() {
		q, g, err = a.learnTwice(ctx, f, found)
	} else {
		q, err = annotators.Estimate(answers, annotators.Options{Posteriors: g})
	}
	if err != nil {
		return err
	}
	alone, err := annotators.Estimate(answers, annotators.Options{})
	if err != nil {
		return err
	}
	worse := g != nil && q.LeftOut < alone.LeftOut
	if worse {
		q, g, found.runs = alone, nil, nil
		for k := range found.views {
			found.views[k].Used = false
		}
	}
	found.clean, found.posterior = float32s(q.Posterior), consensusPosterior
	found.crowd = &consensus{Consensus: q, copies: annotators.Copies(answers, q), network: g != nil}
	if found.noisy = g; g == nil {
		found.noisy = found.clean
	}
	found.predicted = correction.Classes(found.noisy, classes)
	if found.crowd.asked, err = annotators.Ask(answers, q, a.Crowd.Ask); err != nil {
		return err
	}
	a.Data.Train.Labels = q.Label
	// Decisions are of these labels, where they were compared with the votes at first.
	if err := found.knows(a, f); err != nil {
		return err
	}
	found.crowd.judge(answers, found)
	found.warnings = append(found.warnings, unjudged(found.crowd.people)...)
	if worse {
		found.warnings = append(found.warnings,
			"the networks predict answers worse than other people's answers do, so they are ignored: an example without "+
				"an answer has the most frequent label")
	}
	found.t = q.Pooled
	if found.model, err = judging.Consensus(found.clean, g, q.Label, a.Data.Classes); err != nil {
		return err
	}
	a.judge(f, found)
	return nil
}

// judge says how good the people are. Trusted labels count in place of the consensus.
func (c *consensus) judge(answers *annotators.Answers, found *finding) {
	known := *c.Consensus
	known.Posterior = slices.Clone(known.Posterior)
	for _, t := range found.trusted {
		q := known.Of(t.Index)
		clear(q)
		q[t.Label] = 1
	}
	var predicted []int
	if c.network {
		predicted = found.predicted
	}
	c.people = annotators.People(answers, &known, predicted)
}

// unjudged warns of people of whom nothing can be said.
func unjudged(people []annotators.Person) []string {
	var names []string
	for _, p := range people {
		if p.Answers > 0 && p.Judged == 0 {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("nobody else has answered the examples of %s: how good these answers are is not known. "+
		"Do all people name the examples alike?", humanize.Quoted(names, 5))}
}

// learnTwice trains networks on the votes, and again on the consensus that came of that, and
// returns the last consensus with the posteriors of the networks. Of several views of the data
// it takes the one that predicts the answers best.
func (a work) learnTwice(ctx context.Context, f *audit.Folder,
	found *finding) (*annotators.Consensus, []float32, error) {
	q, err := annotators.Estimate(a.Crowd.Answers, annotators.Options{Method: "majority"})
	if err != nil {
		return nil, nil, err
	}
	candidates := a.candidates()
	var g []float32
	for round := 1; round <= crowdRounds; round++ {
		var best *annotators.Consensus
		var chosen config.Config
		for _, c := range candidates {
			a.Note(fmt.Sprintf("stage %d of %d, view %s: %d networks, each without one part of the data, from the answers of %s",
				round, crowdRounds, viewOf(c), c.Folds.Count, humanize.People(len(a.Crowd.Workers))))
			n, err := a.learn(ctx, f, c, q, round)
			if err != nil {
				return nil, nil, err
			}
			p, err := a.sharpen(n.logits, q.Label)
			if err != nil {
				return nil, nil, err
			}
			now, err := annotators.Estimate(a.Crowd.Answers, annotators.Options{Posteriors: p})
			if err != nil {
				return nil, nil, err
			}
			if best == nil || now.LeftOut > best.LeftOut {
				best, chosen, g, found.runs = now, c, p, ids(n.runs)
				found.views = []audit.View{{Name: viewOf(c), Loss: -now.LeftOut, Model: c.Network(), Used: true}}
			}
		}
		q, candidates = best, []config.Config{chosen}
	}
	return q, g, nil
}

// sharpen returns the posteriors of networks with the evidence of similar examples, where it is known: fitted to the
// labels of a consensus.
func (a work) sharpen(logits []float32, labels []int) ([]float32, error) {
	if a.near == nil {
		return correction.Softmax(logits, len(a.Data.Classes)), nil
	}
	identity, err := correction.Identity(a.Data.Classes)
	if err != nil {
		return nil, err
	}
	fitted, err := judging.Fit(judging.Input{Logits: logits, Labels: labels, T: identity, Near: a.near,
		Discriminants: a.discriminants()})
	return fitted.G, err
}

// learns reports whether networks are trained.
func (a work) learns() bool { return a.Probabilities == nil && !a.alone() }

// alone reports whether answers are all that there is.
func (a work) alone() bool { return a.Crowd != nil && a.Networks.Source.Path == "" }

// learn trains networks on the probabilities of a consensus; examples without an answer are
// left out.
func (a work) learn(ctx context.Context, f *audit.Folder, c config.Config, q *annotators.Consensus,
	round int) (networks, error) {
	path, err := filepath.Abs(f.Path(audit.RunsDir, fmt.Sprintf("targets%d.npy", round)))
	if err != nil {
		return networks{}, err
	}
	if err := npy.WriteFloat32(path, targetsOf(a.Crowd, q), len(a.Data.Classes)); err != nil {
		return networks{}, err
	}
	runs := first(c)
	for k := range runs {
		runs[k].Loss, runs[k].Targets = softLoss, path
	}
	return a.train(ctx, f, runs, round)
}

// targetsOf are the probabilities of the classes, zeros of examples without an answer.
func targetsOf(crowd *Crowd, q *annotators.Consensus) []float32 {
	c := len(crowd.Classes)
	targets := float32s(q.Posterior)
	for i := range crowd.Tasks {
		if len(crowd.Of(i)) == 0 {
			clear(targets[i*c : (i+1)*c])
		}
	}
	return targets
}

func float32s(x []float64) []float32 {
	out := make([]float32, len(x))
	for k, v := range x {
		out[k] = float32(v)
	}
	return out
}

func (a work) crowdSummary(c *consensus) *audit.People {
	if c == nil {
		return nil
	}
	s := &audit.People{People: len(a.Crowd.Workers), Answers: len(a.Crowd.List), Network: c.Network, Persons: c.People,
		Copies: []audit.Copies{}, Asked: len(c.asked)}
	for _, x := range a.Crowd.List {
		s.Wrong += c.Wrong(x)
	}
	for r, p := range c.people {
		if p.Answers == 0 {
			continue
		}
		person := audit.Person{
			Name: p.Name, Row: r, Answers: p.Answers, Accuracy: some(p.Accuracy), Interval: p.Interval, Chance: some(p.Chance),
			Others: some(p.Others), Network: some(p.Network), Verdict: string(p.Verdict()),
		}
		if len(p.Confused) > 0 {
			person.Confuses = a.Data.Classes[p.Confused[0].True] + " as " + a.Data.Classes[p.Confused[0].Answer]
		}
		s.Ranked = append(s.Ranked, person)
	}
	slices.SortStableFunc(s.Ranked, func(x, y audit.Person) int { return cmp.Compare(y.Interval.Low, x.Interval.Low) })
	for _, p := range c.copies {
		s.Copies = append(s.Copies, audit.Copies{First: a.Crowd.Workers[p.First], Second: a.Crowd.Workers[p.Second],
			Shared: p.Shared, Same: p.Same, Expected: p.Expected})
	}
	return s
}

// some returns a number that is there, nil for NaN.
func some(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
