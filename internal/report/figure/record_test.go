package figure

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/reporttest"
)

// A picture says what it was drawn from.
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
	tables, err := readRecord(picture)
	if err != nil || len(tables) != 1 || len(tables[0].Columns) != 1 {
		t.Fatalf("record %v, %v", tables, err)
	}
	if problems := unlike(tables[0], []*report.Table{table}); problems != nil {
		t.Errorf("beside its own table: %q", problems)
	}
	for name, change := range map[string]func(*report.Cell){
		"revision": func(c *report.Cell) { c.Revision = "bbbbbbbbbbbb" },
		"seeds":    func(c *report.Cell) { c.Seeds = []uint64{7, 8} },
		"means":    func(c *report.Cell) { c.Selected.Mean++ },
	} {
		other, err := readRecord(picture)
		if err != nil {
			t.Fatal(err)
		}
		change(other[0].Cells[0][0])
		if unlike(other[0], []*report.Table{table}) == nil {
			t.Errorf("other %s are not seen", name)
		}
	}
	if _, err := readRecord(picture[:40]); !errors.Is(err, errNoRecord) {
		t.Errorf("a picture without a record: %v", err)
	}
}

// unlike says in which cells a picture is of other runs than the tables: of another
// revision, processor or libtorch, of seeds that they have not, or with other means.
func unlike(picture *report.Table, tables []*report.Table) []string {
	var problems []string
	for i, row := range picture.Rows {
		for j, column := range picture.Columns {
			drawn := picture.Cells[i][j]
			if drawn == nil {
				continue
			}
			cells := cellsOf(picture, row, column, tables)
			k := slices.IndexFunc(cells, func(c *report.Cell) bool { return c.Provenance == drawn.Provenance })
			where := row.Name + ", " + column.String()
			if k < 0 {
				problems = append(problems, fmt.Sprintf("%s: %d tables have it, computed by other than %v", where, len(cells), drawn.Provenance))
				continue
			}
			switch cell := cells[k]; {
			case slices.ContainsFunc(drawn.Seeds, func(s uint64) bool { return !slices.Contains(cell.Seeds, s) }):
				problems = append(problems, where+" has seeds that the table has not")
			case slices.Equal(drawn.Seeds, cell.Seeds) && drawn.Selected.String() != cell.Selected.String():
				problems = append(problems, where+" has another mean")
			}
		}
	}
	return problems
}

// cellsOf returns that cell of each table that has it.
func cellsOf(like *report.Table, row report.Row, column report.Column, tables []*report.Table) (cells []*report.Cell) {
	for _, t := range tables {
		if t.Dataset != like.Dataset || t.Model != like.Model || t.Preset != like.Preset || t.Settings != like.Settings || t.Epochs != like.Epochs || t.Quick != like.Quick {
			continue
		}
		for i := range t.Rows {
			for j := range t.Columns {
				if t.Rows[i].Name == row.Name && t.Columns[j] == column && t.Cells[i][j] != nil {
					cells = append(cells, t.Cells[i][j])
				}
			}
		}
	}
	return cells
}

// The picture of learning curves in README and its table come from the same runs.
func TestReadmesPictureIsOfItsTable(t *testing.T) {
	kept, err := report.Load("../../../results")
	if err != nil {
		t.Fatal(err)
	}
	pictures := regexp.MustCompile(`\]\((docs/[a-z0-9-]+-[0-9.]+\.png)\)`).FindAllStringSubmatch(string(read(t, "../../../README.md")), -1)
	if len(pictures) == 0 {
		t.Fatal("README has no picture of runs")
	}
	for _, m := range pictures {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", m[1]))
		if err != nil {
			t.Fatal(err)
		}
		tables, err := readRecord(data)
		if err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
		for _, table := range tables {
			for _, p := range unlike(table, kept.Kept) {
				t.Errorf("%s: %s", m[1], p)
			}
		}
	}
}

// errNoRecord says that a picture does not say what was drawn.
var errNoRecord = errors.New("the picture has no record of its runs")

// readRecord returns the tables that a PNG file of SaveNoise was drawn from, with the
// seeds, means and provenance of their cells.
func readRecord(png []byte) ([]*report.Table, error) {
	rest := png[min(8, len(png)):]
	for len(rest) >= 12 {
		n := int(binary.BigEndian.Uint32(rest))
		if n < 0 || n > len(rest)-12 {
			break
		}
		data := rest[8 : 8+n]
		if text, ok := bytes.CutPrefix(data, append([]byte(recordKey), 0, 0, 0, 0, 0)); ok && string(rest[4:8]) == "iTXt" {
			return report.ReadCSV(bytes.NewReader(text))
		}
		rest = rest[12+n:]
	}
	return nil, errNoRecord
}
