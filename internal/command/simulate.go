package command

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/run"
)

// simulateCommand returns a hidden command that repeats steps of audits and reviews many times, for benchmarks/.
func (p Program) simulateCommand() *cli.Command {
	file := func(name string) cli.Flag { return &cli.StringFlag{Name: name} }
	number := func(name string) cli.Flag { return &cli.IntFlag{Name: name} }
	return &cli.Command{Name: "simulate", Hidden: true, Usage: "serve benchmarks/", Subcommands: []*cli.Command{
		{
			Name: "checks", ArgsUsage: "AUDIT WRONG.npy", Action: p.simulateChecks,
			Flags: []cli.Flag{&cli.IntSliceFlag{Name: "checks"}, number("repeat"), number("seed"), number("stream")},
		},
		{
			Name: "accept", ArgsUsage: "AUDIT WRONG.npy", Action: p.simulateAccept,
			Flags: []cli.Flag{&cli.Float64Flag{Name: "limit"}, number("repeat"), number("seed"), &cli.StringFlag{Name: "w"}},
		},
		{Name: "answers", ArgsUsage: "ANSWERS.npy", Action: p.simulateAnswers, Flags: []cli.Flag{file("method"),
			file("probabilities"), file("may"), number("ask")}},
		{Name: "features", ArgsUsage: "DATA", Action: p.simulateFeatures, Flags: append(sourceFlags(), viewFlag(),
			file("out"))},
	}}
}

// simulated reads the model of AUDIT, and answers checks by WRONG [N], 1 for a wrong label.
func simulated(c *cli.Context) (m *judging.Model, answer func(example int) checking.Answer, err error) {
	judged, err := audit.At(c.Args().Get(0)).Judged()
	if err != nil {
		return m, nil, err
	}
	wrong, _, err := npy.ReadFloat32(c.Args().Get(1))
	if err != nil || len(wrong) != len(judged.Given) {
		return m, nil, fmt.Errorf("simulate: %d labels, want %d: %w", len(wrong), len(judged.Given), err)
	}
	return judged.Model, func(example int) checking.Answer {
		if wrong[example] > 0 {
			return checking.Wrong
		}
		return checking.Right
	}, nil
}

// simulateChecks draws random checks of an audit, --repeat times for each number in --checks, and answers them by
// WRONG [N], 1 for a wrong label. It prints each estimate, and w before the checks and after each of them.
func (p Program) simulateChecks(c *cli.Context) error {
	m, answer, err := simulated(c)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(uint64(c.Int("seed")), uint64(c.Int("stream"))))
	rows, before := []map[string]any{}, m.Mixture(m.Pi)
	for k := range len(c.IntSlice("checks")) * c.Int("repeat") {
		checks, err := checking.NewDraw(m.ClassDependent, m.InstanceDependent, c.IntSlice("checks")[k/c.Int("repeat")], rng)
		if err != nil {
			return err
		}
		answers := make([]checking.Answer, len(checks))
		for k, check := range checks {
			answers[k] = answer(check.Index)
		}
		n, err := checking.NewCount(before, checks, answers)
		if err != nil {
			return err
		}
		pi, _ := n.Pi(m.ClassDependent, m.InstanceDependent, m.Pi)
		rows = append(rows, map[string]any{"wrong": n.Wrong, "low": n.Low, "high": n.High, "pi": pi,
			"p_wrong": m.Mixture(pi)})
	}
	return p.PrintJSON(map[string]any{"model": before, "counts": rows})
}

// simulateAccept runs the acceptance test of an audit --repeat times, and prints the verdicts and numbers of checks.
// WRONG [N] is 1 for a wrong label. --w is audit, none (all zeros) or reversed (1 - w).
func (p Program) simulateAccept(c *cli.Context) error {
	m, answer, err := simulated(c)
	if err != nil {
		return err
	}
	w := m.Mixture(m.Pi)
	for k := range w {
		switch c.String("w") {
		case "none":
			w[k] = 0
		case "reversed":
			w[k] = 1 - w[k]
		}
	}
	var verdicts []checking.Verdict
	var checks []int
	limit := c.Float64("limit")
	for k := range c.Int("repeat") {
		test, err := checking.NewAcceptance(w, limit, limit, .05)
		if err != nil {
			return err
		}
		for _, x := range checking.Order(len(w), uint64(c.Int("seed")+k)) {
			if test.Add(x, answer(x)); test.Verdict() != checking.Undecided {
				break
			}
		}
		count, _ := test.Checked()
		verdicts, checks = append(verdicts, test.Verdict()), append(checks, count)
	}
	return p.PrintJSON(map[string]any{"verdicts": verdicts, "checks": checks})
}

// simulateAnswers prints the consensus of ANSWERS [N R] (classes from 0, -1 for no answer), and the next questions to
// the people whom --may [N R] allows.
func (p Program) simulateAnswers(c *cli.Context) error {
	given, shape, err := npy.ReadFloat32(c.Args().First())
	if err != nil || len(shape) != 2 {
		return fmt.Errorf("simulate: answers of shape %v: %w", shape, err)
	}
	people := shape[1]
	var list []annotators.Answer
	for k, v := range given {
		if v >= 0 {
			list = append(list, annotators.Answer{Task: int32(k / people), Worker: int32(k % people), Label: int32(v)})
		}
	}
	a, err := annotators.New(shape[0], numbers(people), numbers(int(slices.Max(given))+1), list)
	if err != nil {
		return err
	}
	o := annotators.Options{Method: c.String("method")}
	ask := annotators.AskOptions{Count: c.Int("ask")}
	if file := c.String("probabilities"); file != "" {
		o.Posteriors, _, err = npy.ReadFloat32(file)
	}
	if file := c.String("may"); file != "" && err == nil {
		var may []float32
		may, _, err = npy.ReadFloat32(file)
		ask.May = func(task, worker int) bool { return may[task*people+worker] > 0 }
	}
	if err != nil {
		return err
	}
	q, err := annotators.Estimate(a, o)
	if err != nil {
		return err
	}
	var questions []annotators.Question
	if ask.Count > 0 {
		questions, err = annotators.Ask(a, q, ask)
	}
	return errors.Join(err, p.PrintJSON(map[string]any{"posterior": q.Posterior, "questions": questions}))
}

func numbers(n int) (names []string) {
	for k := range n {
		names = append(names, strconv.Itoa(k))
	}
	return names
}

// simulateFeatures writes the features [N D] of --view, and prints the names of the examples.
func (p Program) simulateFeatures(c *cli.Context) error {
	source, err := onePath(c, c.Args().Slice())
	if err != nil {
		return err
	}
	opt := dataset.Options{Offline: true}
	data, err := find.OpenData(c.Context, source, opt)
	if err != nil {
		return err
	}
	source.View = c.String("view")
	features, err := run.Features(c.Context, config.Config{Dataset: "own", Device: "cpu", Source: source}, opt)
	if err != nil || features == nil {
		return errors.Join(err, errors.New("simulate: --view names no encoder"))
	}
	for i := range data.Train.Len() {
		fmt.Fprintln(app.Raw(p.Stdout), data.Train.ID(i))
	}
	return npy.WriteFloat32(c.String("out"), features[0], len(features[0])/data.Train.Len())
}
