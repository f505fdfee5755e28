package figure

import (
	"encoding/binary"
	"image/png"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/reporttest"
)

// A picture records what it was drawn from, and stays a valid PNG.
func TestPicturesHoldTheirRecord(t *testing.T) {
	results := reporttest.Block()
	for k := range results {
		results[k].Revision = "aaaaaaaaaaaaaaaa"
	}
	table := report.Tables(report.FromResults(results...))[0]
	paths, err := SaveNoise(t.TempDir(), table, 1)
	expect.OK(t, err)
	picture := read(t, paths[1])
	if _, err := png.Decode(strings.NewReader(picture)); err != nil {
		t.Fatalf("the picture is damaged: %v", err)
	}
	lines := linesOf(t, []*report.Table{table})
	want := slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, ",none,") })
	expect.Same(t, want, linesOf(t, readRecord(t, picture)), "record")
}

// The picture of learning curves in README and its table come from the same runs.
func TestReadmesPictureIsOfItsTable(t *testing.T) {
	kept, err := report.Load("../../../results")
	expect.OK(t, err)
	readme := read(t, "../../../README.md")
	pictures := regexp.MustCompile(`\]\((docs/[a-z0-9-]+-[0-9.]+\.png)\)`).FindAllStringSubmatch(readme, -1)
	if len(pictures) == 0 {
		t.Fatal("README has no picture of runs")
	}
	known := linesOf(t, kept.Kept)
	for _, m := range pictures {
		for _, line := range linesOf(t, readRecord(t, read(t, "../../../"+m[1]))) {
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
func readRecord(t *testing.T, png string) []*report.Table {
	t.Helper()
	key := "iTXt" + recordKey + "\x00\x00\x00\x00\x00"
	at := strings.Index(png, key)
	if at < 4 {
		t.Fatal("the picture has no record of its runs")
	}
	text := png[at+len(key) : at+4+int(binary.BigEndian.Uint32([]byte(png[at-4:at])))]
	tables, err := report.ReadCSV(strings.NewReader(text))
	expect.OK(t, err)
	return tables
}

// Runs in other settings do not take the name of a figure in the preset's.
func TestFileNames(t *testing.T) {
	plain := reporttest.Result("forward", "asymmetric", .6, 1, 97, 97)
	small, other := plain, plain
	small.Config.BatchSize = 64
	other.Config.BatchSize, other.Config.Epochs, other.Config.Dropout, other.Config.Optimizer.LearningRate = 64, 3, .5, .1
	var names []string
	for _, table := range report.Tables(report.FromResults(plain, small, other)) {
		names = append(names, fileName(table, table.Columns[0]))
	}
	form := "^mnist-mlp-code-[0-9a-f]{8}-asymmetric-0.6 mnist-mlp-code-asymmetric-0.6 " +
		"mnist-mlp-code-with-batch_size-64-asymmetric-0.6$"
	if got := strings.Join(names, " "); !regexp.MustCompile(form).MatchString(got) {
		t.Errorf("names %s, want %s", got, form)
	}
}
