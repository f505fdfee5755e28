package page

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/relabel"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/report/html"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/internal/shell"
)

// Shown is how many of the worst examples Make shows.
const Shown = 200

// Report is the content of a page.
type Report struct {
	Dir     string // the audit's folder, for the commands
	Summary audit.Summary
	T       *correction.Matrix // nil if the labels show no evidence of it
	Worst   []audit.Issue      // the first issues
	Looks   []Look             // one for each of Worst; nil if they cannot be shown
	Failed  error              // why Looks is nil

	Unlike      []audit.Issue // images that look like no class, most unusual first
	UnlikeLooks []Look        // of Unlike, as Looks

	Twice      []audit.Duplicate // the first pairs of duplicates.csv
	TwiceLooks []Look            // two for each of Twice, as Looks
}

// Look is how the page shows an example.
type Look struct {
	Image template.URL // a thumbnail
	Text  string
	None  string // why there is no thumbnail of an image
}

// newLook returns the Look of an original, and keeps no reference to it.
func newLook(o own.Original) (look Look) {
	look.Text = clip(o.Text)
	if len(o.Image) > 0 {
		var err error
		if look.Image, err = thumbnail(o.Image); err != nil {
			look.None = "cannot be shown: " + err.Error()
		}
	}
	return look
}

// Originals calls visit with examples as people see them, one at a time, as
// [own.Source.EachOriginal] does.
type Originals func(ctx context.Context, ids []string, visit func(k int, o own.Original) error) error

// Make writes report.html of an audit's folder. If the data can no longer be read, the page states that and
// shows only the names of the examples.
func Make(ctx context.Context, f *audit.Folder, found *audit.Report, originals Originals) error {
	s := found.Summary
	r := Report{Dir: f.Dir(), Summary: s, Worst: found.Issues[:min(len(found.Issues), Shown)],
		Unlike: unlike(found.Issues), Twice: twice(found)}
	if s.Evidence.Shown() || s.Crowd != nil {
		r.T = found.T
	}
	var ids []string
	for _, i := range slices.Concat(r.Worst, r.Unlike) {
		ids = append(ids, i.ID)
	}
	for _, d := range r.Twice {
		ids = append(ids, d.A.ID, d.B.ID)
	}
	if s.Source.Path != "" {
		looks := make([]Look, len(ids))
		r.Failed = originals(ctx, ids, func(k int, o own.Original) error {
			looks[k] = newLook(o)
			return ctx.Err()
		})
		if r.Failed == nil {
			last := len(r.Worst) + len(r.Unlike)
			r.Looks, r.UnlikeLooks, r.TwiceLooks = looks[:len(r.Worst)], looks[len(r.Worst):last], looks[last:]
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := Write(&b, r); err != nil {
		return err
	}
	if err := makePeople(f, found); err != nil {
		return err
	}
	return f.WriteReport(b.Bytes())
}

// unlike returns the issues that look like no class, most unusual first, at most one screen of them.
func unlike(issues []audit.Issue) (list []audit.Issue) {
	for _, i := range issues {
		if i.Unusual != nil && *i.Unusual > audit.VeryUnusual {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b audit.Issue) int { return cmp.Compare(*b.Unusual, *a.Unusual) })
	return list[:min(len(list), open)]
}

// twice returns the pairs to show: the first of duplicates.csv, without examples of separate test files,
// whose names may be those of training examples.
func twice(r *audit.Report) []audit.Duplicate {
	if kind, err := r.Source.Stored(); err != nil || kind == dataset.Vector {
		return nil // the page then shows no pairs
	}
	all := r.Twins
	if r.Source.Test != "" {
		all = slices.DeleteFunc(slices.Clone(all), audit.Duplicate.AcrossSplits)
	}
	return all[:min(len(all), open/2)]
}

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var pageTemplate = template.Must(template.New("").Funcs(template.FuncMap{
	"number":   humanize.Number,
	"people":   humanize.People,
	"about":    humanize.About,
	"percent":  percent,
	"chance":   chance,
	"sentence": sentence,
	"share":    func(part, whole float64) float64 { return math.Round(1000*part/max(1, whole)) / 10 },
	"add":      func(a, b int) int { return a + b },
	"float":    func(n int) float64 { return float64(n) },
	"kappa":    func(k *float64) string { return fmt.Sprintf("%.2f", *k) },
	"word":     shell.Word,
	"times":    func(a, b float64) float64 { return a * b },
	"part":     func(v float64, n int) float64 { return v / float64(max(1, n)) },
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
	CSS    template.CSS
	Export string // the command that writes the labels back in the data's own format; "" if there is none
	Matrix *matrix
	Most   int // largest count of a confusion
	Cards  []card
	More   []card // in a closed list
	Others []card // that look like no class
	Twins  []twins
	Folded bool // the classes are in a closed list, since there are many
	Ranked bool // by p_wrong
	Checks int  // random checks to make first
}

// card is an example of the page.
type card struct {
	audit.Issue
	Look
}

// twins are two examples that are the same or nearly the same.
type twins struct {
	audit.Duplicate
	Both [2]twin
}

type twin struct {
	audit.Member
	Look
}

// Alike describes how similar they are.
func (t twins) Alike() string {
	switch {
	case t.Exact:
		return "equal"
	case t.Similarity == nil:
		return "nearly equal"
	}
	return fmt.Sprintf("nearly equal, similarity %.3f", *t.Similarity)
}

func newTwins(all []audit.Duplicate, looks []Look) (list []twins) {
	for k, d := range all {
		t := twins{Duplicate: d, Both: [2]twin{{Member: d.A}, {Member: d.B}}}
		if len(looks) > 0 {
			t.Both[0].Look, t.Both[1].Look = looks[2*k], looks[2*k+1]
		}
		list = append(list, t)
	}
	return list
}

// open is the number of cards on one screen.
const open = 24

func newView(r Report) *view {
	v := &view{Report: r, CSS: template.CSS(html.StyleSheet + pageCSS), Matrix: newMatrix(r)} //nolint:gosec // our own
	for _, c := range r.Summary.Confusions {
		v.Most = max(v.Most, c.Count)
	}
	if path := r.Summary.Source.Path; path != "" {
		name := filepath.Base(path)
		if relabel.FormOf(r.Summary) == relabel.TableForm {
			name = rows.TrimEnding(name) + ".csv"
		}
		v.Export = "losscorr export " + shell.Word(r.Dir) + " " + shell.Word("corrected-"+name)
	}
	v.Folded = len(r.Summary.Classes) > 25
	v.Checks = min(r.Summary.Examples, audit.FirstChecks)
	v.Ranked = r.Summary.Random != nil && r.Summary.Random.Checked >= audit.RankChecks
	v.Cards, v.Others = cards(r.Worst, r.Looks), cards(r.Unlike, r.UnlikeLooks)
	v.Twins = newTwins(r.Twice, r.TwiceLooks)
	if len(v.Cards) > open {
		v.Cards, v.More = v.Cards[:open], v.Cards[open:]
	}
	return v
}

func cards(issues []audit.Issue, looks []Look) (list []card) {
	for k, i := range issues {
		c := card{Issue: i}
		if k < len(looks) {
			c.Look = looks[k]
		}
		list = append(list, c)
	}
	return list
}

// clip cuts a text that would fill the page, without keeping the rest in memory.
func clip(text string) string {
	const most = 600
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + " …"
	}
	return text
}
