package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"sync"

	"github.com/losscorr/losscorr/store"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// PageOptions says what a page tells beside its runs.
type PageOptions struct {
	Program string // version of the program that writes the page
	// Command is the one that makes the page.
	Command string
}

// WritePage writes the study as one HTML document that needs nothing else: no
// scripts, no fonts, no pictures from elsewhere. The same study gives the same
// bytes.
func WritePage(w io.Writer, s *Study, o PageOptions) error {
	p := newPage(s, o)
	return p.write(w, "page")
}

func (p *page) write(w io.Writer, name string) error {
	var b bytes.Buffer
	if err := pageTemplate.ExecuteTemplate(&b, name, p); err != nil {
		return fmt.Errorf("report: write the page: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}

// page is what the template shows.
type page struct {
	CSS      template.CSS
	Lead     string
	Facts    []fact
	Blocks   []*blockView
	Sheets   []*Sheet // of the paper's tables as a whole
	Troubles []trouble
	Command  string
	Live     *live // of a live page
	Script   template.JS
	Report   template.HTML
	Revision string
}

func newPage(s *Study, o PageOptions) *page {
	s.prefetch()
	results := s.Results()
	tables := s.Tables()
	slices.SortStableFunc(tables, func(a, b *Table) int { return rank(a.Quick) - rank(b.Quick) })
	p := &page{CSS: template.CSS(pageCSS), Lead: lead(tables), Facts: facts(s, o), Troubles: troubles(s), Command: o.Command} //nolint:gosec // our own
	records := make(map[string][]*Record)
	for _, r := range s.Records {
		if r.Result != nil {
			key := groupKey(*r.Result)
			records[key] = append(records[key], r)
		}
	}
	for k, t := range tables {
		p.Blocks = append(p.Blocks, newBlockView(k+1, t, records[t.key]))
	}
	if slices.ContainsFunc(tables, func(t *Table) bool { return len(t.published()) > 0 && !t.Quick }) {
		p.Sheets = append(p.Sheets, coverageSheet(tables))
	}
	if slices.ContainsFunc(results, func(r store.Result) bool { return clothingRow(r.Config) > 0 }) {
		p.Sheets = append(p.Sheets, Table3(results))
	}
	return p
}

// prefetch reads the metrics of all runs, as many at a time as there are cores.
func (s *Study) prefetch() {
	next := make(chan *Record)
	var workers sync.WaitGroup
	for range max(1, min(len(s.Records), 8)) {
		workers.Go(func() {
			for r := range next {
				_, _ = r.Epochs() // an error shows where they are used
			}
		})
	}
	for _, r := range s.Records {
		next <- r
	}
	close(next)
	workers.Wait()
}
