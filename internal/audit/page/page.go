package page

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
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
	Worst   []audit.Issue      // the first ones
	Others  []audit.Issue      // images that look like no class, most unusual first
	Twins   []audit.Duplicate  // the first pairs of duplicates.csv
	Failed  error              // why the examples cannot be shown

	looks map[string]Look // by the names of the examples
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
		uri, err := thumbnail(o.Image)
		if err != nil {
			look.None = "cannot be shown: " + err.Error()
			return look
		}
		look.Image = uri
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
		Others: unlike(found.Issues), Twins: twice(found)}
	if s.Evidence.Shown() || s.Crowd != nil {
		r.T = found.T
	}
	if s.Source.Path != "" {
		r.Failed = r.look(ctx, originals)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := render(pageTemplate, "page", r)
	if err != nil {
		return err
	}
	if err := makePeople(f, found); err != nil {
		return err
	}
	return f.WritePage(audit.ReportFile, text)
}

// look reads how the examples look. If one cannot be read, it shows none.
func (r *Report) look(ctx context.Context, originals Originals) error {
	var ids []string
	for _, i := range slices.Concat(r.Worst, r.Others) {
		ids = append(ids, i.ID)
	}
	for _, d := range r.Twins {
		ids = append(ids, d.A.ID, d.B.ID)
	}
	looks := map[string]Look{}
	err := originals(ctx, ids, func(k int, o own.Original) error {
		looks[ids[k]] = newLook(o)
		return ctx.Err()
	})
	if err == nil {
		r.looks = looks
	}
	return err
}

func (r Report) cards(issues []audit.Issue) (list []card) {
	for _, i := range issues {
		list = append(list, card{i, r.looks[i.ID]})
	}
	return list
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
// whose names may equal names of training examples.
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
	"css":      func() template.CSS { return template.CSS(html.StyleSheet + pageCSS) }, //nolint:gosec // our own
}).Parse(pageHTML))

// render returns a page. The same content gives the same bytes.
func render(page *template.Template, name string, content any) ([]byte, error) {
	var b bytes.Buffer
	if err := page.ExecuteTemplate(&b, name, content); err != nil {
		return nil, fmt.Errorf("audit: write the page: %w", err)
	}
	return b.Bytes(), nil
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

// open is the number of cards on one screen.
const open = 24

// Cards are the worst examples on the first screen.
func (r Report) Cards() []card { return r.cards(r.Worst[:min(len(r.Worst), open)]) }

// More are the other ones, in a closed list.
func (r Report) More() []card { return r.cards(r.Worst[min(len(r.Worst), open):]) }

// Unlike are the images that look like no class.
func (r Report) Unlike() []card { return r.cards(r.Others) }

// Pairs are the pairs of duplicates.
func (r Report) Pairs() (list []twins) {
	for _, d := range r.Twins {
		list = append(list, twins{d, [2]twin{{d.A, r.looks[d.A.ID]}, {d.B, r.looks[d.B.ID]}}})
	}
	return list
}

// Export returns the command that writes the labels back in the data's own format, or "" if the format has no export.
func (r Report) Export() string {
	path := r.Summary.Source.Path
	if path == "" {
		return ""
	}
	name := filepath.Base(path)
	if relabel.FormOf(r.Summary) == relabel.TableForm {
		name = rows.TrimEnding(name) + ".csv"
	}
	return "losscorr export " + shell.Word(r.Dir) + " " + shell.Word("corrected-"+name)
}

// Most returns the largest count of a confusion.
func (r Report) Most() (most int) {
	for _, c := range r.Summary.Confusions {
		most = max(most, c.Count)
	}
	return most
}

// Folded reports whether the classes are in a closed list, since there are many.
func (r Report) Folded() bool { return len(r.Summary.Classes) > 25 }

// Ranked reports whether the order is by p_wrong.
func (r Report) Ranked() bool {
	return r.Summary.Random != nil && r.Summary.Random.Checked >= audit.RankChecks
}

// Checks returns the number of random checks to make first.
func (r Report) Checks() int { return min(r.Summary.Examples, audit.FirstChecks) }

// clip cuts a text that would fill the page, without keeping the rest in memory.
func clip(text string) string {
	const most = 600
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + " …"
	}
	return text
}
