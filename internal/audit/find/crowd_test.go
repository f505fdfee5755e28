package find

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// Answers find their examples by name, in whatever order.
func TestNewCrowd(t *testing.T) {
	given := &own.Answers{
		Tasks: []string{"b", "x", "\u00e4"}, Workers: []string{"p", "q"}, Classes: []string{"no", "yes"},
		List: []annotators.Answer{{Task: 0, Worker: 0, Label: 1}, {Task: 1, Worker: 0, Label: 0},
			{Task: 2, Worker: 1, Label: 0}},
	}
	c, findings, err := newCrowd("f.csv", given, []string{"a\u0308", "b", "c"})
	expect.OK(t, err)
	expect.Same(t, []annotators.Answer{{Task: 0, Worker: 1, Label: 0}, {Task: 1, Worker: 0, Label: 1}}, c.List)
	said := strings.Join(findings, "\n")
	if !strings.Contains(said, `1 answers are about examples that the data does not have, such as "x"`) ||
		!strings.Contains(said, "1 examples have no answer") {
		t.Errorf("findings:\n%s", said)
	}
	if _, _, err := newCrowd("f.csv", given, []string{"1", "2"}); !errors.Is(err, dataset.ErrData) ||
		!strings.Contains(err.Error(), `"b"`) {
		t.Errorf("other names: %v", err)
	}
}

// asked is a request with answers of several people.
var asked = Request{Answers: &Answers{File: "f.csv"}}

func crowdOf(t *testing.T, tasks int, list []annotators.Answer) *annotators.Answers {
	t.Helper()
	return expect.Got(annotators.New(tasks, []string{"p", "q", "r"}, []string{"x", "y", "z"}, list))(t)
}

// The votes are the most frequent answers, and include all classes.
func TestWriteVotes(t *testing.T) {
	c := crowdOf(t, 4, []annotators.Answer{
		{Task: 0, Worker: 0, Label: 0}, {Task: 0, Worker: 1, Label: 0}, {Task: 0, Worker: 2, Label: 2},
		{Task: 1, Worker: 0, Label: 1}, {Task: 2, Worker: 0, Label: 0},
	})
	f := audit.At(t.TempDir())
	votes := expect.Got(votesOf("f.csv", c))(t)
	expect.OK(t, f.WriteVotes(votes, nil))
	text := string(expect.Got(os.ReadFile(f.Path(audit.RunsDir, audit.VotesFile)))(t))
	expect.Same(t, "z\ny\nx\nx\n", text) // only the first has a vote for z; the last has no answer
	expect.OK(t, f.WriteVotes(votes, []string{"a", "=b", "c", "d"}))
	text = string(expect.Got(os.ReadFile(f.Path(audit.RunsDir, audit.NamedVotesFile)))(t))
	expect.Same(t, "id,label\na,z\n'=b,y\nc,x\nd,x\n", text)
	names := []string{"'+", "+", "-x"}
	expect.OK(t, f.WriteVotes(names, nil))
	expect.Same(t, names, expect.Got(own.ReadClasses(f.Path(audit.RunsDir, audit.VotesFile)))(t))
	one := crowdOf(t, 2, []annotators.Answer{{Task: 0, Label: 0}, {Task: 1, Label: 1}})
	expect.Fails(t, expect.Err(votesOf("f.csv", one)), "", dataset.ErrData, "two examples of three classes")
}

// Networks learn from the examples that have an answer.
func TestLearnTargets(t *testing.T) {
	c := crowdOf(t, 2, []annotators.Answer{{Task: 0, Worker: 0, Label: 2}})
	q := expect.Got(annotators.Estimate(c, annotators.Options{Method: "majority"}))(t)
	expect.Same(t, []float32{0, 0, 1, 0, 0, 0}, targetsOf(c, q))
}

// Without examples it is an error if no two answers are about the same one.
func TestNobodyElseAnswers(t *testing.T) {
	crowd := crowdOf(t, 3, []annotators.Answer{{Task: 0, Worker: 0, Label: 0}, {Task: 1, Worker: 1, Label: 1},
		{Task: 2, Worker: 2, Label: 2}})
	a := work{Request: asked, Crowd: crowd, Data: &dataset.Dataset{Classes: crowd.Classes}}
	expect.Fails(t, a.agree(audit.At(t.TempDir()), &finding{}),
		"f.csv: no two people have answered the same example", dataset.ErrData)
}

// A person who disagrees with the consensus counts as right where trusted labels agree.
func TestTrustedLabelsJudgePeople(t *testing.T) {
	var list []annotators.Answer
	labels, trusted := make([]int, 40), []correction.Trusted{}
	for i := range labels {
		for who, label := range []int{2, i % 2, i % 2} {
			list = append(list, annotators.Answer{Task: int32(i), Worker: int32(who), Label: int32(label)})
		}
		labels[i] = i % 2
		trusted = append(trusted, correction.Trusted{Index: i, Label: 2})
	}
	crowd := crowdOf(t, 40, list)
	q := expect.Got(annotators.Estimate(crowd, annotators.Options{}))(t)
	for _, known := range [][]correction.Trusted{nil, trusted} {
		list := people(crowd, q, &finding{trusted: known})
		if right := list[0].Accuracy > .9; right != (known != nil) || list[1].Accuracy > .9 == right {
			t.Errorf("%d trusted labels: %+v", len(known), list)
		}
	}
	if q.Label[0] != 0 || q.Sure(0) < .9 {
		t.Errorf("the consensus has changed: %d, %v", q.Label[0], q.Of(0))
	}
}

// Networks that predict an answer worse than other people's answers do are not used.
func TestWorseNetworksAreLeftOut(t *testing.T) {
	var list []annotators.Answer
	labels := make([]int, 60)
	good, bad := make([]float32, 180), make([]float32, 180)
	for i := range labels {
		labels[i] = i % 3
		for who := range int32(3) {
			label := labels[i]
			if i%6 == int(who) { // a mistake
				label = (label + 1) % 3
			}
			list = append(list, annotators.Answer{Task: int32(i), Worker: who, Label: int32(label)})
		}
		for k := range 3 {
			good[3*i+k], bad[3*i+k] = .05, .05
		}
		good[3*i+labels[i]], bad[3*i+i/7%3] = .9, .9
	}
	for _, c := range []struct {
		g    []float32
		used bool
	}{{good, true}, {bad, false}} {
		crowd := crowdOf(t, 60, list)
		a := work{Request: asked, Crowd: crowd, Probabilities: c.g, Data: &dataset.Dataset{Classes: crowd.Classes,
			Train: dataset.Split{Shape: []int{1}, Labels: labels}}}
		found := &finding{Report: audit.Report{Summary: audit.Summary{Runs: []string{"a"},
			Views: []audit.View{{Name: "linear", Model: "linear", Used: true}}}}}
		expect.OK(t, a.agree(audit.At(t.TempDir()), found))
		warned := strings.Contains(strings.Join(found.Warnings, "\n"), "predict answers worse")
		if warned == c.used {
			t.Errorf("used: %v; warnings %q", c.used, found.Warnings)
		}
		want := map[bool]string{true: "given probabilities", false: "no network"}[c.used]
		if s := a.report(found); s.Model != want || s.Views[0].Used != c.used || c.used == (len(s.Runs) == 0) ||
			c.used == (s.GivenAccuracy == 0) {
			t.Errorf("used %v: judged by %s, views %+v, runs %v, accuracy %v", c.used, s.Model, s.Views, s.Runs, s.GivenAccuracy)
		}
	}
}

// A table of examples that has a column like the answers' names its examples by it: their numbers are not row numbers.
func TestAnswersNameExamplesByColumn(t *testing.T) {
	for header, want := range map[string]string{"id,text": "id", "text,task": "task", "who,text": "who", "text,x": ""} {
		path := filepath.Join(t.TempDir(), "d.csv")
		expect.OK(t, os.WriteFile(path, []byte(header+"\n1,2\n"), 0o666))
		r := Request{Source: own.Source{Path: path}, Dir: t.TempDir(), Answers: &Answers{}}
		if header == "who,text" {
			r.Answers.Task = "who"
		}
		expect.OK(t, r.LabelWithAnswers(false))
		expect.Same(t, want, r.Source.ID, header)
	}
}
