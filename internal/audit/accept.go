package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/npy"
)

// Accepting is the acceptance of an audit's labels: its plan, and the order in which labels are checked.
type Accepting struct {
	Plan  Plan
	Order []int // rows, in the order of the checks

	Examples
	Judged *Judged
}

// Accept begins the acceptance of an audit's labels, or continues the one in the log. The limits are fixed once it
// has begun, since people would otherwise choose them by what they have seen.
func (f *Folder) Accept(log *LogWriter, limit, reject, risk float64) (*Accepting, error) {
	a, err := f.Acceptance(log.Log)
	if err != nil {
		return nil, err
	}
	if a.Plan.Labels == "" {
		if err := f.plan(log, a, Plan{Limit: limit, Reject: reject, Risk: risk}); err != nil {
			return nil, err
		}
	}
	if p := a.Plan; p.Limit != limit || p.Reject != reject || p.Risk != risk {
		return nil, dataset.Errorf("the limits cannot change once checks have begun: use the ones you started with, "+
			"accept below %s, reject above %s, at a risk of %s", percent(p.Limit), percent(p.Reject), percent(p.Risk))
	}
	return a, nil
}

// Acceptance returns the acceptance in a log of the labels as they are now. Its plan is empty if there is none.
func (f *Folder) Acceptance(log Log) (*Accepting, error) {
	j, err := f.Judged()
	if err != nil {
		return nil, err
	}
	a := &Accepting{Judged: j, Examples: Examples{Classes: j.Classes, IDs: j.IDs, Given: j.Given,
		Contents: contentsOf(j.Sums)}}
	for set, n := a.hash(), len(log.Plans); n > 0; n-- {
		if a.Plan = log.Plans[n-1]; a.Plan.Labels == set {
			return a, a.read(f)
		}
		a.Plan = Plan{}
	}
	return a, nil
}

// read reads the probabilities of an acceptance that has begun.
func (a *Accepting) read(f *Folder) (err error) {
	if a.W, _, err = npy.ReadFloat32(f.Path(AcceptanceFile)); err != nil {
		return dataset.Errorf("%w", err)
	}
	if len(a.W) != len(a.IDs) || hashWeights(a.W) != a.Plan.Weights {
		return f.damaged(AcceptanceFile, "the file has changed since the checks began: restore the old one")
	}
	a.Order = checking.Order(len(a.W), a.Plan.Seed)
	return nil
}

// plan fixes w, then draws the seed.
func (f *Folder) plan(log *LogWriter, a *Accepting, p Plan) error {
	a.W = make([]float32, len(a.IDs))
	if !a.Judged.NoModel() {
		for k, v := range a.Judged.Model.Mixture(a.Judged.Model.Pi) {
			a.W[k] = float32(v)
		}
	}
	if _, err := p.test(a.W); err != nil {
		return dataset.Errorf("%w", err)
	}
	if err := npy.WriteFloat32(f.Path(AcceptanceFile), a.W, 1); err != nil {
		return err
	}
	p.Labels, p.Weights, p.Seed, p.Time = a.hash(), hashWeights(a.W), rand.Uint64(), Now()
	a.Plan, a.Order = p, checking.Order(len(a.W), p.Seed)
	return log.AppendPlan(p)
}

// Test runs the test on people's answers, by the names of the examples: it takes the labels in order up to the first
// without an answer. Answers after the verdict narrow the rates.
func (a *Accepting) Test(decisions map[string]Decision) *checking.Acceptance {
	test, _ := a.Plan.test(a.W) // plan has checked the limits
	for _, row := range a.Order {
		answer := decisions[a.IDs[row]].answer(a.Classes[a.Given[row]])
		if answer == checking.Unanswered {
			break
		}
		test.Add(row, answer)
	}
	return test
}

// Draws returns the first n labels in the order of the checks, for WriteSheet.
func (a *Accepting) Draws(n int) (list Draws) {
	for _, row := range a.Order[:min(n, len(a.Order))] {
		list = append(list, Draw{ID: a.IDs[row], Given: a.Classes[a.Given[row]], Chance: 1 / float64(len(a.IDs))})
	}
	return list
}

// contentsOf writes hashes of contents, or returns nil if there are none.
func contentsOf(sums []uint64) (texts []string) {
	for _, sum := range sums {
		texts = append(texts, fmt.Sprintf("%016x", sum))
	}
	return texts
}

// unknownContent is the hash of a content that is unknown.
const unknownContent = "0000000000000000"

// hash is a hash of the names, the labels and, if known, the contents of examples.
func (e Examples) hash() string {
	h := sha256.New()
	for row, id := range e.IDs {
		content := unknownContent
		if e.Contents != nil {
			content = e.Contents[row]
		}
		fmt.Fprintf(h, "%q %q %s\n", id, e.Classes[e.Given[row]], content)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hashWeights is a hash of probabilities, each written as a little-endian float32.
func hashWeights(w []float32) string {
	h := sha256.New()
	_ = binary.Write(h, binary.LittleEndian, w) // a hash cannot fail
	return hex.EncodeToString(h.Sum(nil))
}

// test returns the test of labels that are wrong with probabilities w, before any check.
func (p Plan) test(w []float32) (*checking.Acceptance, error) {
	wide := make([]float64, len(w))
	for k, v := range w {
		wide[k] = float64(v)
	}
	return checking.NewAcceptance(wide, p.Limit, p.Reject, p.Risk)
}

// Sentence describes where an acceptance stands.
func (p Plan) Sentence(test *checking.Acceptance, labels int) string {
	checked, wrong := test.Checked()
	all, done := humanize.Number(labels), fmt.Sprintf("%s checked, %s wrong", humanize.Number(checked),
		humanize.Number(wrong))
	risk := fmt.Sprintf("at a risk of %s: %s.", percent(p.Risk), done)
	switch test.Verdict() {
	case checking.Accepted:
		return fmt.Sprintf("Accepted. Fewer than %s of %s labels are wrong, %s", percent(p.Limit), all, risk)
	case checking.Rejected:
		return fmt.Sprintf("Rejected. More than %s of %s labels are wrong, %s", percent(p.Reject), all, risk)
	}
	if checked == 0 {
		return "No label has been checked yet."
	}
	share := (float64(wrong) + .5) / (float64(checked) + 1)
	if share >= p.Limit && share <= p.Reject {
		return "Undecided yet: " + done + ". The share is so close to the limit that many more checks are needed."
	}
	more := humanize.Number(max(1, test.Expected(share)-checked))
	return fmt.Sprintf("Undecided yet: %s. About %s more checks are needed if the share of mistakes stays the "+
		"same.", done, more)
}

// Forecast describes how many checks to expect.
func (p Plan) Forecast(test *checking.Acceptance) string {
	return fmt.Sprintf("Accepting takes about %s checks if no label is wrong, %s if %s are. A set with %s or more "+
		"wrong labels is accepted in at most %s of all cases.", humanize.Number(test.Expected(0)),
		humanize.Number(test.Expected(p.Limit/2)),
		percent(p.Limit/2), percent(p.Limit), percent(p.Risk))
}

// percent writes a share: 3 %, 0.5 %.
func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
