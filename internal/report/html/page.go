package html

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/figure"
	"github.com/losscorr/losscorr/internal/store"
)

//go:embed page.html
var pageHTML string

// StyleSheet is the style of the page, light and dark. Other pages of the program start
// with it.
//
//go:embed page.css
var StyleSheet string

var pageTemplate = template.Must(template.New("").Parse(pageHTML))

// Options is the content of a page apart from its runs.
type Options struct {
	Program string // version of the program that writes the page
	// Command is the command line that makes the page.
	Command string
}

// Write writes the study as one self-contained HTML document, without scripts or
// fonts. The same study gives the same bytes.
func Write(w io.Writer, s *report.Study, o Options) error {
	var b bytes.Buffer
	if err := pageTemplate.ExecuteTemplate(&b, "page", newPage(s, o)); err != nil {
		return fmt.Errorf("report: write the page: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}

// title is the title of every page.
const title = "<title>Label noise report</title>"

// IsPage reports whether a file starts like a page of Write.
func IsPage(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, 4096))
	return err == nil && bytes.Contains(head, []byte(title))
}

// page is the data of the template.
type page struct {
	Options
	CSS    template.CSS
	Facts  []fact
	Blocks []*block
	Table3 *report.Table
}

// fact is a line at the top of the page.
type fact struct{ Name, Value string }

func newPage(s *report.Study, o Options) *page {
	blocks := s.Blocks()
	slices.SortStableFunc(blocks, func(a, b *report.Block) int { // quick blocks last
		return cmp.Compare(strconv.FormatBool(a.Quick), strconv.FormatBool(b.Quick))
	})
	p := &page{
		Options: o, Facts: []fact{{"runs", fmt.Sprint(len(s.Runs))}},
		CSS: template.CSS(StyleSheet), //nolint:gosec // our own
	}
	for _, state := range append(slices.Clone(report.States), store.Pending) {
		n := 0
		for _, r := range s.Runs {
			if r.State == state {
				n++
			}
		}
		if n > 0 {
			p.Facts = append(p.Facts, fact{state, fmt.Sprint(n)})
		}
	}
	for k, b := range blocks {
		p.Blocks = append(p.Blocks, newBlock(fmt.Sprintf("b%d", k+1), b))
	}
	if report.HasTable3(s.Finished()) {
		p.Table3 = report.Table3(s.Finished())
	}
	return p
}

// block is a block on the page, with its figures and warnings.
type block struct {
	*report.Block
	ID     string
	Sweeps []picture
	Noises []noise
}

// picture is a figure under its title.
type picture struct {
	Title   string
	Drawing template.HTML
}

// noise holds the figure and the warnings for one noise.
type noise struct {
	ID       string
	Title    string
	Drawing  template.HTML
	Warnings []string
	Open     bool // set for the last, which has the most noise
}

func newBlock(id string, of *report.Block) *block {
	b := &block{Block: of, ID: id}
	for _, kind := range []string{"asymmetric", "symmetric"} {
		if s := of.Sweep(kind); len(s.Levels()) > 1 {
			title := "Accuracy against N, " + kind + " noise"
			b.Sweeps = append(b.Sweeps, picture{title, figure.Sweep(s, of.Rows).Element("chart", title)})
		}
	}
	for j, c := range of.Columns {
		runs := of.Under(j)
		if len(runs) == 0 {
			continue // a kept block
		}
		n := noise{ID: fmt.Sprintf("%s-n%d", id, j+1), Title: c.String(), Warnings: report.Warnings(runs),
			Open: j == len(of.Columns)-1}
		drawn, err := figure.Noise(of, j)
		if err != nil {
			n.Warnings = append(n.Warnings, err.Error())
		} else {
			n.Drawing = drawn.Element("chart", "learning curves, T and its estimate, "+n.Title)
		}
		b.Noises = append(b.Noises, n)
	}
	return b
}
