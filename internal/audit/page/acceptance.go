package page

import (
	_ "embed"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/audit"
)

//go:embed acceptance.html
var acceptanceHTML string

var acceptanceTemplate = template.Must(template.Must(pageTemplate.Clone()).Funcs(template.FuncMap{
	"name":   audit.NameOf,
	"few":    func(r checking.Rate) bool { return r.Checked == 0 },
	"answer": answer,
	"by":     by,
}).Parse(acceptanceHTML))

// acceptanceView is the content of a certificate's page.
type acceptanceView struct {
	*audit.Certificate
	Tables []rateTable
}

// rateTable holds the rates by class, or by source.
type rateTable struct {
	By   string
	Risk float64 // that a limit is wrong, for each
	Rows []audit.Part
}

// Acceptance returns acceptance.html, a certificate as a page to pass on.
func Acceptance(c *audit.Certificate) ([]byte, error) {
	v := acceptanceView{Certificate: c}
	for _, p := range c.Parts {
		if n := len(v.Tables); n == 0 || v.Tables[n-1].By != p.By {
			v.Tables = append(v.Tables, rateTable{By: p.By})
		}
		t := &v.Tables[len(v.Tables)-1]
		t.Rows = append(t.Rows, p)
		t.Risk = c.Plan.Risk / float64(len(t.Rows))
	}
	return render(acceptanceTemplate, "acceptance", v)
}

// answer describes the answer to a check.
func answer(c audit.CheckedLabel) string {
	switch {
	case c.Answer == audit.Ambiguous:
		return "several classes fit"
	case c.Answer == audit.None:
		return "no class fits"
	case c.Answer == audit.Skip:
		return "skipped"
	case c.Label == c.Given:
		return "right"
	}
	return "wrong: " + c.Label
}

// by names the people who answered a check.
func by(c audit.CheckedLabel) string {
	names := map[string]bool{}
	for _, d := range c.Said {
		names[audit.NameOf(d.Reviewer)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}
