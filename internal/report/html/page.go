package html

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/figure"

	"github.com/losscorr/losscorr/internal/humanize"
)

//go:embed page.html
var pageHTML string

// StyleSheet is the style of the page, light and dark. Other pages of the program start
// with it.
//
//go:embed page.css
var StyleSheet string

var pageTemplate = template.Must(template.New("").Funcs(template.FuncMap{
	"count":    humanize.Count,
	"minus":    func(text string) string { return negative.ReplaceAllString(text, "$1−$2") },
	"name":     name,
	"progress": progress,
	"again":    again,
}).Parse(pageHTML))

// negative finds hyphens that are minus signs.
var negative = regexp.MustCompile(`(^|[ (])-(\d)`)

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
	CSS      template.CSS
	Lead     string
	Facts    []fact
	Blocks   []*block
	Table3   *report.Table
	Troubles []*report.Run
	Command  string
}

func newPage(s *report.Study, o Options) *page {
	blocks := s.Blocks()
	slices.SortStableFunc(blocks, func(a, b *report.Block) int { // quick blocks last
		return cmp.Compare(strconv.FormatBool(a.Quick), strconv.FormatBool(b.Quick))
	})
	p := &page{
		CSS:  template.CSS(StyleSheet + figure.PageRules()), //nolint:gosec // our own
		Lead: lead(blocks), Facts: facts(s, o), Troubles: troubles(s), Command: o.Command,
	}
	for k, b := range blocks {
		p.Blocks = append(p.Blocks, newBlock(fmt.Sprintf("b%d", k+1), b))
	}
	if report.HasTable3(s.Finished()) {
		p.Table3 = report.Table3(s.Finished())
	}
	return p
}
