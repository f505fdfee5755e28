package figure

import (
	"bytes"
	"encoding/binary"
	"image/png"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
	lines := linesOf(t, []*report.Table{table})
	want := slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, ",none,") })
	reporttest.Same(t, "record", want, linesOf(t, readRecord(t, picture)))
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
	known := linesOf(t, kept.Kept)
	for _, m := range pictures {
		for _, line := range linesOf(t, readRecord(t, read(t, filepath.Join("..", "..", "..", m[1])))) {
			if !slices.Contains(known, line) {
				t.Errorf("%s shows what no table has: %s", m[1], line)
			}
		}
	}
}

// linesOf are the cells of tables as lines of CSV, with their seeds, means and what computed them.
func linesOf(t *testing.T, tables []*report.Table) []string {
	t.Helper()
	return strings.Split(reporttest.Written(t, func(w io.Writer) error { return report.WriteCSV(w, tables, "") }), "\n")
}

// readRecord returns the tables that a PNG file of SaveNoise was drawn from.
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
