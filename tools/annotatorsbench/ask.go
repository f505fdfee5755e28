package annotatorsbench

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/tools/measured"
)

//go:embed ask.py
var askScript string

// Each purchase is so many answers, and so many are made.
const (
	bought    = 500
	purchases = 12
)

// purchase is the state of a simulation in which answers are bought: each example has one at
// first, drawn at random, and the others that people really gave are for sale, one of an example
// at a time.
type purchase struct {
	data    crowd
	g       []float32
	path    string // of g
	rng     *rand.Rand
	have    []annotators.Answer
	forSale [][]annotators.Answer // by example, in random order
	lab     *activeLab
}

// begin draws the first answers.
func begin(data crowd, draw uint64) *purchase {
	p := &purchase{data: data, rng: rand.New(rand.NewPCG(draw, 1)), forSale: make([][]annotators.Answer, data.answers.Tasks)}
	for i := range p.forSale {
		list := slices.Clone(data.answers.Of(i))
		p.rng.Shuffle(len(list), func(x, y int) { list[x], list[y] = list[y], list[x] })
		if len(list) > 0 {
			p.have, p.forSale[i] = append(p.have, list[0]), list[1:]
		}
	}
	return p
}

// with returns the same state, to go on by itself.
func (p *purchase) with(draw uint64) *purchase {
	q := *p
	q.have, q.rng = slices.Clone(p.have), rand.New(rand.NewPCG(draw, 2))
	q.forSale = make([][]annotators.Answer, len(p.forSale))
	for i, list := range p.forSale {
		q.forSale[i] = slices.Clone(list)
	}
	return &q
}

func (p *purchase) answers() (*annotators.Answers, error) {
	return annotators.New(p.data.answers.Tasks, p.data.answers.Workers, p.data.answers.Classes, p.have)
}

// right returns the shares of the consensus labels that are right, by the answers bought so far:
// of losscorr with the network, and of the majority, where equals count by their share.
func (p *purchase) right() (own, majority float64, err error) {
	a, err := p.answers()
	if err != nil {
		return 0, 0, err
	}
	c, err := annotators.Estimate(a, annotators.Options{Posteriors: p.g})
	if err != nil {
		return 0, 0, err
	}
	votes, err := annotators.Estimate(a, annotators.Options{Method: "majority"})
	if err != nil {
		return 0, 0, err
	}
	n := float64(a.Tasks)
	for i, truth := range p.data.truth {
		if c.Label[i] == truth {
			own += 1 / n
		}
		row := votes.Of(i)
		if best := slices.Max(row); row[truth] == best {
			equals := 0
			for _, v := range row {
				if v == best {
					equals++
				}
			}
			majority += 1 / float64(equals) / n
		}
	}
	return own, majority, nil
}

// buy buys an answer to each of the examples that a rule asks about first. worker is the person who
// gives it, -1 where anyone does.
func (p *purchase) buy(questions []annotators.Question) error {
	left := bought
	for _, q := range questions {
		list := p.forSale[q.Task]
		at := 0
		if q.Worker >= 0 {
			at = slices.IndexFunc(list, func(x annotators.Answer) bool { return int(x.Worker) == q.Worker })
		}
		if at < 0 || len(list) == 0 {
			return fmt.Errorf("no answer to example %d is for sale", q.Task)
		}
		p.have, p.forSale[q.Task] = append(p.have, list[at]), slices.Delete(list, at, at+1)
		if left--; left == 0 {
			return nil
		}
	}
	return fmt.Errorf("%d answers are not for sale", left)
}

// questions of anyone about the examples that have an answer for sale, by score, the lowest first.
func (p *purchase) lowest(score func(task int) float64) (list []annotators.Question) {
	for _, i := range p.rng.Perm(len(p.forSale)) {
		if len(p.forSale[i]) > 0 {
			list = append(list, annotators.Question{Task: i, Worker: -1})
		}
	}
	slices.SortStableFunc(list, func(x, y annotators.Question) int { return cmp.Compare(score(x.Task), score(y.Task)) })
	return list
}

// sold reports whether the answer of a person to an example is for sale.
func (p *purchase) sold(task, worker int) bool {
	return slices.ContainsFunc(p.forSale[task], func(x annotators.Answer) bool { return int(x.Worker) == worker })
}

// rule says what to ask next.
type rule struct {
	name   string
	python bool
	ask    func(p *purchase) ([]annotators.Question, error)
}

var rules = []rule{
	{"losscorr, the example and the person", false, func(p *purchase) ([]annotators.Question, error) {
		a, c, err := p.consensus()
		if err != nil {
			return nil, err
		}
		return annotators.Ask(a, c, annotators.AskOptions{Count: bought, May: p.sold})
	}},
	{"losscorr, the example", false, func(p *purchase) ([]annotators.Question, error) {
		a, c, err := p.consensus()
		if err != nil {
			return nil, err
		}
		all, err := annotators.Ask(a, c, annotators.AskOptions{Count: a.Tasks})
		gain := map[int]float64{}
		for _, q := range all {
			gain[q.Task] = q.Anyone
		}
		return p.lowest(func(task int) float64 { return -gain[task] }), err
	}},
	{"cleanlab ActiveLab", true, func(p *purchase) ([]annotators.Question, error) {
		scores, err := p.lab.scores(p)
		if err != nil {
			return nil, err
		}
		return p.lowest(func(task int) float64 { return scores[task] }), nil
	}},
	{"random", false, func(p *purchase) ([]annotators.Question, error) {
		return p.lowest(func(int) float64 { return 0 }), nil
	}},
}

func (p *purchase) consensus() (*annotators.Answers, *annotators.Consensus, error) {
	a, err := p.answers()
	if err != nil {
		return nil, nil, err
	}
	c, err := annotators.Estimate(a, annotators.Options{Posteriors: p.g})
	return a, c, err
}

// measureAsk simulates what to ask next. The network is that of an audit of the first answers, the
// same one for all rules and purchases.
func (b *bench) measureAsk(ctx context.Context, data crowd) error {
	var lab *activeLab
	if b.Python != "" {
		var err error
		if lab, err = newActiveLab(ctx, b.Python); err != nil {
			return err
		}
		defer lab.close()
	}
	for draw := range uint64(b.Seeds) {
		first := begin(data, draw)
		a, err := first.answers()
		if err != nil {
			return err
		}
		small := data
		small.name, small.answers = data.name+"-ask"+strconv.FormatUint(draw, 10), a
		folder, _, err := b.audit(ctx, small)
		if err != nil {
			return err
		}
		first.path, first.lab = folder.Path(audit.NoisyFile), lab
		if first.g, _, err = npy.ReadFloat32(first.path); err != nil {
			return err
		}
		for _, rule := range rules {
			if rule.python && lab == nil {
				continue
			}
			if err := b.simulate(rule, first.with(draw), draw); err != nil {
				return fmt.Errorf("%s: %w", rule.name, err)
			}
		}
		if lab != nil {
			b.python.Cleanlab = lab.version
		}
	}
	return nil
}

// simulate buys answers by a rule, and adds a row for the first ones and after each purchase.
func (b *bench) simulate(r rule, p *purchase, draw uint64) error {
	for k := 0; ; k++ {
		own, majority, err := p.right()
		if err != nil {
			return err
		}
		b.asked = append(b.asked, measured.Record(p.data.name, r.name, draw, k*bought, len(p.have), own, majority))
		fmt.Fprintf(b.out, "%-12s %-40s draw %d %6d bought: right %.4f, majority %.4f\n", p.data.name, r.name, draw, k*bought, own, majority)
		if k == purchases {
			return nil
		}
		questions, err := r.ask(p)
		if err != nil {
			return err
		}
		if err := p.buy(questions); err != nil {
			return err
		}
	}
}

// activeLab is ask.py at work.
type activeLab struct {
	python    string
	cmd       *exec.Cmd
	in        io.WriteCloser
	out       *bufio.Reader
	complaint bytes.Buffer
	version   string
}

func newActiveLab(ctx context.Context, python string) (*activeLab, error) {
	l := &activeLab{python: python, cmd: exec.CommandContext(ctx, python, "-c", askScript)}
	l.cmd.Stderr = &l.complaint
	var err error
	if l.in, err = l.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	l.out = bufio.NewReader(out)
	return l, l.cmd.Start()
}

func (l *activeLab) close() {
	_ = l.in.Close()
	_ = l.cmd.Wait()
}

func (l *activeLab) scores(p *purchase) ([]float64, error) {
	var answers [][3]int32
	for _, x := range p.have {
		answers = append(answers, [3]int32{x.Task, x.Worker, x.Label})
	}
	ask := map[string]any{"answers": answers, "tasks": p.data.answers.Tasks, "workers": len(p.data.answers.Workers), "posteriors": p.path}
	if err := json.NewEncoder(l.in).Encode(ask); err != nil {
		return nil, fmt.Errorf("%s: %w", l.python, err)
	}
	line, err := l.out.ReadBytes('\n')
	if err != nil {
		_ = l.in.Close()
		_ = l.cmd.Wait()
		return nil, fmt.Errorf("%s: %w: %s", l.python, err, l.complaint.String())
	}
	var reply struct {
		Version string
		Scores  []float64
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		return nil, err
	}
	l.version = reply.Version
	return reply.Scores, nil
}
