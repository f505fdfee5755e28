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

// Accepting is the acceptance of the labels of an audit.
type Accepting struct {
	Plan  Plan
	Order []int // in which the rows are checked

	judged *Judged
	sums   []uint64 // of the examples' contents; nil where they are not known
	w      []float32
}

// Accept begins the acceptance of the labels of an audit, or goes on with the one that the log has. Its limits are not
// changed once it has begun: people would choose them by what they have seen.
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
		return nil, dataset.Errorf("these labels are being accepted below %s, rejected above %s, at a risk of %s, which "+
			"cannot change once checks have begun: give the same", percent(p.Limit), percent(p.Reject), percent(p.Risk))
	}
	return a, nil
}

// Acceptance returns the acceptance that a log has of the labels as they are now. Without one, its plan is empty.
func (f *Folder) Acceptance(log Log) (*Accepting, error) {
	a := &Accepting{}
	var err error
	if a.judged, err = f.Judged(); err != nil {
		return nil, err
	}
	if a.sums, err = f.Sums(); err != nil {
		return nil, err
	}
	for set, n := a.set(), len(log.Plans); n > 0; n-- {
		if a.Plan = log.Plans[n-1]; a.Plan.Labels == set {
			return a, a.read(f)
		}
		a.Plan = Plan{}
	}
	return a, nil
}

// read reads the probabilities of an acceptance that has begun.
func (a *Accepting) read(f *Folder) (err error) {
	if a.w, _, err = npy.ReadFloat32(f.Path(AcceptanceFile)); err != nil {
		return dataset.Errorf("%w", err)
	}
	if len(a.w) != len(a.judged.IDs) || hashWeights(a.w) != a.Plan.Weights {
		return f.damaged(AcceptanceFile, "it was changed since the checks began: put the old file back")
	}
	a.Order = checking.Order(len(a.w), a.Plan.Seed)
	return nil
}

// plan fixes w, and then draws the seed.
func (f *Folder) plan(log *LogWriter, a *Accepting, p Plan) error {
	a.w = make([]float32, len(a.judged.IDs))
	if !a.judged.NoModel {
		for k, v := range a.judged.Model.Mixture(a.judged.Model.Pi) {
			a.w[k] = float32(v)
		}
	}
	if _, err := checking.NewAcceptance(widen(a.w), p.Limit, p.Reject, p.Risk); err != nil {
		return dataset.Errorf("%w", err)
	}
	if err := npy.WriteFloat32(f.Path(AcceptanceFile), a.w, 1); err != nil {
		return err
	}
	p.Labels, p.Weights, p.Seed, p.Time = a.set(), hashWeights(a.w), rand.Uint64(), now()
	a.Plan, a.Order = p, checking.Order(len(a.w), p.Seed)
	return log.AppendPlan(p)
}

// Test returns the test by what people say of the examples, by their names: the labels in order up to the first without
// an answer. Answers after the verdict narrow the rates.
func (a *Accepting) Test(decisions map[string]Decision) *checking.Acceptance {
	test, _ := checking.NewAcceptance(widen(a.w), a.Plan.Limit, a.Plan.Reject, a.Plan.Risk) // plan has checked them
	for _, row := range a.Order {
		answer := decisions[a.judged.IDs[row]].answer(a.judged.Classes[a.judged.Given[row]])
		if answer == checking.Unanswered {
			break
		}
		test.Add(row, answer)
	}
	return test
}

// Draws returns the first n labels in the order of the checks, for WriteSheet.
func (a *Accepting) Draws(n int) (list Draws) {
	j := a.judged
	for _, row := range a.Order[:min(n, len(a.Order))] {
		list = append(list, Draw{ID: j.IDs[row], Given: j.Classes[j.Given[row]], Chance: 1 / float64(len(j.IDs))})
	}
	return list
}

// set identifies the examples of an acceptance: their names, labels and contents.
func (a *Accepting) set() string {
	return hashSet(len(a.judged.IDs), func(row int) (id, given string, sum uint64) {
		if a.sums != nil {
			sum = a.sums[row]
		}
		return a.judged.IDs[row], a.judged.Classes[a.judged.Given[row]], sum
	})
}

func hashSet(count int, example func(row int) (id, given string, sum uint64)) string {
	h := sha256.New()
	for row := range count {
		id, given, sum := example(row)
		fmt.Fprintf(h, "%q %q %016x\n", id, given, sum)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hashWeights identifies probabilities, each as the four bytes of a float32, the lowest first.
func hashWeights(w []float32) string {
	h := sha256.New()
	_ = binary.Write(h, binary.LittleEndian, w) // a hash takes all
	return hex.EncodeToString(h.Sum(nil))
}

func widen(w []float32) []float64 {
	out := make([]float64, len(w))
	for k, v := range w {
		out[k] = float64(v)
	}
	return out
}

// Sentence says where an acceptance stands.
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
		return "Undecided yet: " + done + ". The share is so near to the limit that many more checks are needed."
	}
	more := humanize.Number(max(1, test.Expected(share)-checked))
	return fmt.Sprintf("Undecided yet: %s. About %s more checks are needed if they go on like this.", done, more)
}

// Forecast says how many checks to expect.
func (p Plan) Forecast(test *checking.Acceptance) string {
	return fmt.Sprintf("To accept takes about %s checks if no label is wrong, %s if %s are. A set with %s or more wrong "+
		"labels is accepted in %s of all cases at most.", humanize.Number(test.Expected(0)),
		humanize.Number(test.Expected(p.Limit/2)),
		percent(p.Limit/2), percent(p.Limit), percent(p.Risk))
}

// percent writes a share: 3 %, 0.5 %.
func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
