package audit_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
)

// certified is the certificate of 200 texts with answers to the first checks. Most labels are right.
func certified(t *testing.T, checks int) (*audit.Folder, *audit.Certificate) {
	t.Helper()
	f := expect.Got(audittest.Texts(t.TempDir(), 200))(t)
	log := expect.Got(f.Write())(t)
	a := expect.Got(f.Accept(log, .3, .4, .05))(t)
	given, sources := map[string]string{}, audit.Sources{Column: "vendor", Of: map[string]string{}}
	for _, i := range expect.Got(f.Issues())(t) {
		given[i.ID] = i.Given
		sources.Of[i.ID] = []string{"acme", "bolt"}[i.Row%2]
	}
	for k, d := range a.Draws(checks) {
		answer := audit.Decision{ID: d.ID, Given: given[d.ID], Label: given[d.ID], Action: audit.Accept, Reviewer: "ann"}
		if k%10 == 9 {
			answer.Label, answer.Action = "", audit.None
		}
		expect.OK(t, log.Append(answer))
	}
	c := a.Certify(log.Answers, sources, "test")
	expect.OK(t, log.Close())
	return f, c
}

// A certificate is read as it was written. Its rates add up over its parts.
func TestCertificate(t *testing.T) {
	f, c := certified(t, 90)
	expect.OK(t, f.WriteCertificate(c, []byte("page")))
	again := expect.Got(audit.ReadCertificate(f.Path(audit.CertificateFile)))(t)
	expect.Same(t, again, c)
	if c.Verdict != checking.Accepted || c.Rate.Checked != 90 || c.Rate.Wrong != 9 || c.Rate.High >= .3 ||
		len(c.People) != 1 || c.People[0] != (audit.Reviewer{Name: "ann", Decided: 90}) {
		t.Errorf("%s %+v %v", c.Statement, c.Rate, c.People)
	}
	sums := map[string]checking.Rate{}
	for _, p := range c.Parts {
		r := sums[p.By]
		r.Labels, r.Checked, r.Wrong = r.Labels+p.Labels, r.Checked+p.Checked, r.Wrong+p.Wrong
		sums[p.By] = r
		least, most := float64(p.Wrong)/float64(p.Labels), 1-float64(p.Checked-p.Wrong)/float64(p.Labels)
		if p.Low < least-1e-9 || p.Low > p.High || p.High > most+1e-9 { // what the checks leave possible
			t.Errorf("%+v, want within %v and %v", p, least, most)
		}
	}
	for _, by := range []string{"class", "vendor"} {
		if r := sums[by]; r.Labels != 200 || r.Checked != 90 || r.Wrong != 9 {
			t.Errorf("by %s: %+v", by, r)
		}
	}
}

// Every edit of a certificate is detected.
func TestEditedCertificate(t *testing.T) {
	_, c := certified(t, 90)
	path := filepath.Join(t.TempDir(), "c.json")
	for name, edit := range map[string]func(c *audit.Certificate){
		"another verdict": func(c *audit.Certificate) { c.Verdict = checking.Rejected },
		"another answer": func(c *audit.Certificate) {
			c.Checks[9].Answer, c.Checks[9].Label = audit.Accept, c.Checks[9].Given
		},
		"a check less":   func(c *audit.Certificate) { c.Checks = c.Checks[:89] },
		"another seed":   func(c *audit.Certificate) { c.Plan.Seed++ },
		"another label":  func(c *audit.Certificate) { c.Examples.Given[3] = 1 - c.Examples.Given[3] },
		"no such class":  func(c *audit.Certificate) { c.Examples.Given[3] = 9 },
		"a negative w":   func(c *audit.Certificate) { c.Examples.W[3] = -1 },
		"another person": func(c *audit.Certificate) { c.People[0].Name = "bob" },
		"another limit":  func(c *audit.Certificate) { c.Plan.Limit = .5 },
		"another schema": func(c *audit.Certificate) { c.Schema = 9 },
	} {
		var other audit.Certificate
		expect.OK(t, json.Unmarshal(expect.Got(json.Marshal(c))(t), &other))
		edit(&other)
		expect.OK(t, os.WriteFile(path, expect.Got(json.Marshal(other))(t), 0o666))
		expect.Fails(t, expect.Err(audit.ReadCertificate(path)), path, name)
	}
}

// If at most a share U of a certificate's N labels is wrong, then at most (U N + k) / N' of N' labels with k
// new ones.
func TestCovers(t *testing.T) {
	_, c := certified(t, 90)
	c.Examples.Contents = nil // the labels are compared by name
	data := func(changed, added, removed int) *dataset.Dataset {
		d := &dataset.Dataset{Classes: c.Examples.Classes}
		for k := removed; k < len(c.Examples.IDs); k++ {
			d.Train.IDs = append(d.Train.IDs, c.Examples.IDs[k])
			d.Train.Labels = append(d.Train.Labels, c.Examples.Given[k])
			if k-removed < changed {
				d.Train.Labels[k-removed] = 1 - d.Train.Labels[k-removed]
			}
		}
		for k := range added {
			d.Train.IDs, d.Train.Labels = append(d.Train.IDs, strings.Repeat("new", k+1)), append(d.Train.Labels, 0)
		}
		return d
	}
	for _, x := range []struct {
		changed, added, removed int
		limit, high             float64
		checks                  int
	}{
		{0, 0, 0, .25, .25, 0}, {0, 0, 0, .2, .25, 0}, {2, 0, 0, .25, .26, 2}, {2, 0, 0, .255, .26, 1},
		{0, 50, 0, .3, .4, 25}, {0, 0, 100, .5, .5, 0}, {1, 50, 100, .6, 101. / 150, 11},
	} {
		c.Rate.High = .25
		v := expect.Got(c.Covers(data(x.changed, x.added, x.removed), nil, x.limit))(t)
		want := audit.Cover{Labels: 200 + x.added - x.removed, Covered: 200 - x.removed - x.changed,
			Changed: x.changed + x.added, Removed: x.removed + x.changed, High: x.high, Checks: x.checks,
			Passes: x.high <= x.limit}
		if v != want {
			t.Errorf("%+v: %+v", want, v)
		}
	}
	if _, err := c.Covers(data(0, 0, 0), make([]uint64, 200), .1); err == nil {
		t.Error("labels only beside contents: no error")
	}
}
