package figure

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/png"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/reporttest"
)

// A picture says what it was drawn from, and is no damaged PNG for that.
func TestPicturesHoldTheirRecord(t *testing.T) {
	results := reporttest.Block()
	for k := range results {
		results[k].Revision = "aaaaaaaaaaaaaaaa"
	}
	table := report.Tables(report.FromResults(results...))[0]
	paths, err := SaveNoise(t.TempDir(), table, 1)
	if err != nil {
		t.Fatal(err)
	}
	picture := read(t, paths[1])
	if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
		t.Fatalf("the picture is damaged: %v", err)
	}
	if n := len(readRecord(t, picture)[0].Columns); n != 1 {
		t.Errorf("the record has %d columns", n)
	}
	for name, change := range map[string]func(*report.Cell){
		"":         func(*report.Cell) {},
		"revision": func(c *report.Cell) { c.Revision = "bbbbbbbbbbbb" },
		"seeds":    func(c *report.Cell) { c.Seeds = []uint64{7, 8} },
		"means":    func(c *report.Cell) { c.Selected.Mean++ },
	} {
		record := readRecord(t, picture)
		change(record[0].Cells[0][0])
		if problems := unlike(record, []*report.Table{table}); (problems == nil) != (name == "") {
			t.Errorf("other %s: %q", name, problems)
		}
	}
}

// The picture of learning curves in README and its table come from the same runs.
func TestReadmesPictureIsOfItsTable(t *testing.T) {
	kept, err := report.Load("../../../results")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(read(t, "../../../README.md"))
	pictures := regexp.MustCompile(`\]\((docs/[a-z0-9-]+-[0-9.]+\.png)\)`).FindAllStringSubmatch(readme, -1)
	if len(pictures) == 0 {
		t.Fatal("README has no picture of runs")
	}
	for _, m := range pictures {
		record := readRecord(t, read(t, filepath.Join("..", "..", "..", m[1])))
		if problems := unlike(record, kept.Kept); problems != nil {
			t.Errorf("%s: %q", m[1], problems)
		}
	}
}

// unlike says in which cells a picture is of other runs than the tables: of another
// revision, processor or libtorch, of seeds that they have not, or with other means.
func unlike(picture, tables []*report.Table) (problems []string) {
	known := cellsOf(tables)
	for where, drawn := range cellsOf(picture) {
		switch c := known[where]; {
		case c == nil:
			problems = append(problems, where+" is in no table")
		case slices.ContainsFunc(drawn.Seeds, func(s uint64) bool { return !slices.Contains(c.Seeds, s) }):
			problems = append(problems, where+" has seeds that the table has not")
		case slices.Equal(drawn.Seeds, c.Seeds) && drawn.Selected.String() != c.Selected.String():
			problems = append(problems, where+" has another mean")
		}
	}
	return problems
}

// cellsOf returns the cells of tables by what they are of, and what computed them.
func cellsOf(tables []*report.Table) map[string]*report.Cell {
	cells := map[string]*report.Cell{}
	for _, t := range tables {
		for i, row := range t.Rows {
			for j, column := range t.Columns {
				if c := t.Cells[i][j]; c != nil {
					of := []any{t.Dataset, t.Model, t.Preset, t.Settings, t.Epochs, t.Quick, row.Name, column.String(), c.Provenance}
					cells[fmt.Sprintf("%q", of)] = c
				}
			}
		}
	}
	return cells
}

// readRecord returns the tables that a PNG file of SaveNoise was drawn from, with the
// seeds, means and provenance of their cells.
func readRecord(t *testing.T, png []byte) []*report.Table {
	t.Helper()
	key := []byte("iTXt" + recordKey + "\x00\x00\x00\x00\x00")
	at := bytes.Index(png, key)
	if at < 4 {
		t.Fatal("the picture has no record of its runs")
	}
	text := png[at+len(key) : at+4+int(binary.BigEndian.Uint32(png[at-4:]))]
	tables, err := report.ReadCSV(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return tables
}
