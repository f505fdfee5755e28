package find

import (
	"cmp"
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
)

// softLoss is the loss that trains networks on several people's answers.
const softLoss = "soft"

// crowdRounds is how often networks are trained: on the votes, then on the first consensus.
const crowdRounds = 2

// newCrowd matches the answers of a file with examples by their names. findings describe what does not match. It is
// an error if nothing matches.
func newCrowd(file string, given *own.Answers, names []string) (c *annotators.Answers, findings []string, err error) {
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
		return nil, nil, dataset.Errorf("%s: no answer matches an example of the data: names such as %q do not match "+
			"names such as %q; choose the columns with --task and --id", file, given.Tasks[0], names[0])
	}
	if len(foreign) > 0 {
		findings = append(findings, fmt.Sprintf("%d answers are about examples that the data does not have, such as %q",
			len(foreign), foreign[0]))
	}
	if none := len(names) - len(answered); none > 0 {
		findings = append(findings, fmt.Sprintf("%d examples have no answer: the networks' class is their label or, "+
			"without networks, the most frequent class", none))
	}
	answers, err := annotators.New(len(names), given.Workers, given.Classes, list)
	if err != nil {
		return nil, nil, dataset.Errorf("%s: %w", file, err)
	}
	return answers, findings, nil
}

// votesOf returns the most frequent answer to each example, or the most frequent of all if an example has none. If a
// class would have no example, the one with the largest share of it gets it, so that the data has all classes.
func votesOf(file string, c *annotators.Answers) (labels []string, err error) {
	votes, err := annotators.Estimate(c, annotators.Options{Method: "majority"})
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
			return nil, dataset.Errorf("%s: %d examples for %d classes", file, len(voted), len(c.Classes))
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

// agree finds the consensus, whose labels are then audited. Networks learn from the votes, each without one part of
// the data; their predictions and the answers give a first consensus. Networks that learn from this one give the
// second. Networks that predict the answers worse than other people's answers do are not used.
func (a *work) agree(f *audit.Folder, found *finding) error {
	answers := a.Crowd
	if !slices.Equal(a.Data.Classes, answers.Classes) {
		return dataset.Errorf("the data has the classes %v, the answers %v", a.Data.Classes, answers.Classes)
	}
	g := a.Probabilities
	shared := func(x annotators.Answer) bool { return len(answers.Of(int(x.Task))) > 1 }
	if g == nil && !a.learns() && !slices.ContainsFunc(answers.List, shared) {
		return dataset.Errorf("%s: no two people have answered the same example: pass the examples as well, and check that "+
			"all people use the same names for them", a.Answers.File)
	}
	alone, err := annotators.Estimate(answers, annotators.Options{})
	if err != nil {
		return err
	}
	q := alone
	if a.learns() {
		q, g, err = a.learnTwice(f, found)
	} else if g != nil {
		q, err = annotators.Estimate(answers, annotators.Options{Posteriors: g})
	}
	if err != nil {
		return err
	}
	worse := g != nil && q.LeftOut < alone.LeftOut
	if worse {
		q, g, found.Runs = alone, nil, nil
		for k := range found.Views {
			found.Views[k].Used = false
		}
	}
	found.Clean, found.Posterior, found.T = float32s(q.Posterior), consensusPosterior, q.Pooled
	if found.Noisy = g; g == nil {
		found.Noisy = found.Clean
	} else {
		found.predicted = correction.Classes(g, len(a.Data.Classes))
	}
	asked, err := annotators.Ask(answers, q, a.Answers.Ask)
	if err != nil {
		return err
	}
	a.Data.Train.Labels = q.Label
	found.People = &audit.PeopleReport{Train: a.Data.Train, Answers: answers, Consensus: q}
	if a.Answers.Ask.Count > 0 {
		found.People.Questions = found.People.NewQuestions(asked)
	}
	// From here on decisions are compared with these labels, no longer with the votes.
	if err := found.readAnswers(a, f); err != nil {
		return err
	}
	found.Crowd = a.crowdSummary(q, found)
	found.Crowd.Asked = len(asked)
	if worse {
		found.Warnings = append(found.Warnings,
			"the networks predict answers worse than other people's answers do, so they are ignored: an example without "+
				"an answer has the most frequent label")
	}
	if found.model, err = judging.Consensus(found.Clean, g, q.Label, a.Data.Classes); err != nil {
		return err
	}
	a.judge(f, found)
	return nil
}

// people estimates how good the people are. Trusted labels replace the consensus.
func people(answers *annotators.Answers, q *annotators.Consensus, found *finding) []annotators.Person {
	known := *q
	known.Posterior = slices.Clone(known.Posterior)
	for _, t := range found.trusted {
		p := known.Of(t.Index)
		clear(p)
		p[t.Label] = 1
	}
	return annotators.People(answers, &known, found.predicted)
}

// learnTwice trains networks on the votes, then on the first consensus, and returns the last consensus with the
// posteriors of the networks. It takes the view of the data that predicts the answers best.
func (a *work) learnTwice(f *audit.Folder, found *finding) (*annotators.Consensus, []float32, error) {
	q, err := annotators.Estimate(a.Crowd, annotators.Options{Method: "majority"})
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
			n, err := a.learn(f, c, q, round)
			if err != nil {
				return nil, nil, err
			}
			p, err := a.withNeighbours(n.logits, q.Label)
			if err != nil {
				return nil, nil, err
			}
			now, err := annotators.Estimate(a.Crowd, annotators.Options{Posteriors: p})
			if err != nil {
				return nil, nil, err
			}
			if best == nil || now.LeftOut > best.LeftOut {
				best, chosen, g, found.Runs = now, c, p, ids(n.runs)
				found.Views = []audit.View{{Name: viewOf(c), Loss: -now.LeftOut, Model: c.Network(), Used: true}}
			}
		}
		q, candidates = best, []config.Config{chosen}
	}
	return q, g, nil
}

// withNeighbours returns the networks' posteriors, improved by the labels of similar examples if there are any and
// fitted to the labels of a consensus.
func (a *work) withNeighbours(logits []float32, labels []int) ([]float32, error) {
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
func (a *work) learns() bool { return a.Probabilities == nil && !a.alone() }

// alone reports whether there are only answers and no examples.
func (a *work) alone() bool { return a.Crowd != nil && a.Networks.Source.Path == "" }

// learn trains networks on the probabilities of a consensus; examples without an answer are
// left out.
func (a *work) learn(f *audit.Folder, c config.Config, q *annotators.Consensus,
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
	return a.train(f, runs, round)
}

// targetsOf returns the probabilities of the classes, zeros for examples without an answer.
func targetsOf(crowd *annotators.Answers, q *annotators.Consensus) []float32 {
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

// crowdSummary returns the summary of the people.
func (a *work) crowdSummary(q *annotators.Consensus, found *finding) *audit.People {
	s := &audit.People{People: len(a.Crowd.Workers), Answers: len(a.Crowd.List), Network: q.Network, Persons: q.People,
		Copies: []audit.Copies{}}
	for _, x := range a.Crowd.List {
		s.Wrong += q.Wrong(x)
	}
	for r, p := range people(a.Crowd, q, found) {
		if p.Answers == 0 {
			continue
		}
		person := audit.Person{
			Name: p.Name, Row: r, Answers: p.Answers, Accuracy: orNil(p.Accuracy), Interval: p.Interval, Chance: orNil(p.Chance),
			Others: orNil(p.Others), Network: orNil(p.Network), Verdict: string(p.Verdict()),
		}
		if len(p.Confused) > 0 {
			person.Confuses = a.Data.Classes[p.Confused[0].True] + " as " + a.Data.Classes[p.Confused[0].Answer]
		}
		s.Ranked = append(s.Ranked, person)
	}
	slices.SortStableFunc(s.Ranked, func(x, y audit.Person) int { return cmp.Compare(y.Interval.Low, x.Interval.Low) })
	for _, p := range annotators.Copies(a.Crowd, q) {
		s.Copies = append(s.Copies, audit.Copies{First: a.Crowd.Workers[p.First], Second: a.Crowd.Workers[p.Second],
			Shared: p.Shared, Same: p.Same, Expected: p.Expected})
	}
	return s
}

// orNil returns a pointer to v, or nil for NaN.
func orNil(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
