package page

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/report/html"
)

// Shown is how many of the worst examples Make shows.
const Shown = 200

// Report is what a page shows.
type Report struct {
	Dir     string // of the audit, for the commands
	Summary audit.Summary
	Worst   []audit.Issue      // the first ones
	Looks   []dataset.Original // of Worst; nil if they cannot be shown
	Failed  error              // why Looks is nil
}

// Originals returns examples as people see them, by their names, as
// [dataset.Source.Originals] does.
type Originals func(ctx context.Context, ids []string) ([]dataset.Original, error)

// Make writes report.html of an audit's folder. If originals is nil, those of the
// audit's source are shown. Data that can no longer be read is no error: the page says
// so, and shows the names of the examples alone.
func Make(ctx context.Context, f *audit.Folder, originals Originals) error {
	s, err := f.Summary()
	if err != nil {
		return err
	}
	issues, err := f.Issues()
	if err != nil {
		return err
	}
	if originals == nil {
		originals = s.Source.Originals
	}
	r := Report{Dir: f.Dir(), Summary: s, Worst: issues[:min(len(issues), Shown)]}
	var ids []string
	for _, i := range r.Worst {
		ids = append(ids, i.ID)
	}
	if s.Source.Path != "" {
		r.Looks, r.Failed = originals(ctx, ids)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := Write(&b, r); err != nil {
		return err
	}
	return f.WriteReport(b.Bytes())
}

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var pageTemplate = template.Must(template.New("").Funcs(template.FuncMap{
	"number":   humanize.Number,
	"about":    humanize.About,
	"percent":  percent,
	"chance":   chance,
	"sentence": sentence,
	"share":    func(part, whole float64) float64 { return math.Round(1000*part/max(1, whole)) / 10 },
	"float":    func(n int) float64 { return float64(n) },
	"word":     shell.Word,
}).Parse(pageHTML))

// Write writes the page. The same report gives the same bytes.
func Write(w io.Writer, r Report) error {
	var b bytes.Buffer
	if err := pageTemplate.ExecuteTemplate(&b, "page", newView(r)); err != nil {
		return fmt.Errorf("audit: write the page: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}

// view is what the template shows.
type view struct {
	Report
	CSS     template.CSS
	Verdict string
	Again   string // the command of an audit that uses the decisions
	Matrix  *matrix
	Most    int // largest count of a confusion
	Cards   []card
	More    []card // of a closed list
	Folded  bool   // classes in a closed list, for there are many
}

// card is an example of the page.
type card struct {
	audit.Issue
	Image template.URL
	Text  string
	None  string // why nothing is shown
}

// open is how many cards are seen at once.
const open = 24

func newView(r Report) *view {
	v := &view{Report: r, CSS: template.CSS(html.StyleSheet + pageCSS), Verdict: Verdict(r.Summary), Matrix: newMatrix(r.Summary)} //nolint:gosec // our own
	for _, c := range r.Summary.Confusions {
		v.Most = max(v.Most, c.Count)
	}
	v.Again = r.Summary.Command
	if decisions := shell.Word(filepath.Join(r.Dir, audit.DecisionsFile)); !strings.Contains(v.Again, decisions) {
		v.Again += " --trusted " + decisions
	}
	v.Folded = len(r.Summary.Classes) > 25
	for k, i := range r.Worst {
		c := card{Issue: i}
		if k < len(r.Looks) {
			look := r.Looks[k]
			c.Text = clip(look.Text)
			if len(look.Image) > 0 {
				var err error
				if c.Image, err = thumbnail(look.Image); err != nil {
					c.None = "cannot be shown: " + err.Error()
				}
			}
		}
		v.Cards = append(v.Cards, c)
	}
	if len(v.Cards) > open {
		v.Cards, v.More = v.Cards[:open], v.Cards[open:]
	}
	return v
}

// clip cuts text that would fill the page.
func clip(text string) string {
	const most = 600
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + " …"
	}
	return text
}
