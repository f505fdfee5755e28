package audit

import (
	"fmt"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/npy"
)

// Accepting is the acceptance of the labels of an audit.
type Accepting struct {
	Plan  Plan
	Order []int // in which the rows are checked

	judged *Judged
	w      []float64
}

// Accept begins the acceptance of the labels of an audit, or goes on with the one that the log has. Its limits are not
// changed once it has begun: people would choose them by what they have seen.
func (f *Folder) Accept(j *Judged, log *LogWriter, limit, reject, risk float64) (*Accepting, error) {
	a, labels := &Accepting{judged: j}, j.labels()
	for _, p := range log.Plans {
		if p.Labels == labels {
			a.Plan = p
		}
	}
	if a.Plan.Labels == "" {
		if _, err := checking.NewAcceptance(j.Model.Mixture(j.Model.Pi), limit, reject, risk); err != nil {
			return nil, dataset.Errorf("%w", err)
		}
		if err := f.plan(j, log, a, Plan{Limit: limit, Reject: reject, Risk: risk, Labels: labels}); err != nil {
			return nil, err
		}
	}
	if p := a.Plan; p.Limit != limit || p.Reject != reject || p.Risk != risk {
		return nil, dataset.Errorf("these labels are being accepted below %s, rejected above %s, at a risk of %s, which is "+
			"not changed once checks have begun: give the same", percent(p.Limit), percent(p.Reject), percent(p.Risk))
	}
	sum, err := files.SHA256(f.Path(AcceptanceFile))
	if err != nil || sum != a.Plan.Weights {
		return nil, f.damaged(AcceptanceFile, "it is missing, or another one than when the checks began")
	}
	values, _, err := npy.ReadFloat32(f.Path(AcceptanceFile))
	if err != nil || len(values) != len(j.IDs) {
		return nil, f.damaged(AcceptanceFile, "%d numbers for %d labels (%v)", len(values), len(j.IDs), err)
	}
	for _, v := range values {
		a.w = append(a.w, float64(v))
	}
	a.Order = checking.Order(len(a.w), a.Plan.Seed)
	return a, nil
}

// plan fixes w, and then draws the seed.
func (f *Folder) plan(j *Judged, log *LogWriter, a *Accepting, p Plan) (err error) {
	var w []float32
	for _, v := range j.Model.Mixture(j.Model.Pi) {
		w = append(w, float32(v))
	}
	if err := npy.WriteFloat32(f.Path(AcceptanceFile), w, 1); err != nil {
		return err
	}
	if p.Weights, err = files.SHA256(f.Path(AcceptanceFile)); err != nil {
		return err
	}
	p.Seed, p.Time = rand.Uint64(), now()
	a.Plan = p
	return log.AppendPlan(p)
}

// Test returns the test by what people say of the examples, by their names: the labels in order up to the first without
// an answer, or until there is a verdict.
func (a *Accepting) Test(decisions map[string]Decision) *checking.Acceptance {
	test, _ := checking.NewAcceptance(a.w, a.Plan.Limit, a.Plan.Reject, a.Plan.Risk) // Accept has checked them
	for _, row := range a.Order {
		answer := decisions[a.judged.IDs[row]].answer(a.judged.Classes[a.judged.Given[row]])
		if answer == checking.Unanswered || test.Verdict() != checking.Undecided {
			break
		}
		test.Add(row, answer)
	}
	return test
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
