package rows

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/tidwall/gjson"

	"github.com/losscorr/losscorr/internal/expect"
)

var fromDatasets = filepath.Join("testdata", "huggingface.parquet")

// The columns that the library datasets describes in its file are found, and images are read in any order.
func TestHuggingFace(t *testing.T) {
	f := expect.Got(ReadFeatures(fromDatasets))(t)
	if f.Image != "image" || f.LabelColumn() != "labels" || !slices.Equal(f.Classes["labels"], []string{"réd", "green"}) ||
		!f.Whole["labels"] || f.Whole["id"] {
		t.Errorf("features %+v", f)
	}
	there := map[string]bool{}
	expect.OK(t, Distinct(fromDatasets, "labels", there))
	expect.Same(t, 2, len(there), there)
	expect.Same(t, []string{"1=green"}, f.Numbered("labels", map[string]bool{"1": true}))
	images := expect.Got(OpenImages(fromDatasets, "image"))(t)
	for _, row := range []int{9, 0, 1, 5, 6, 7, 8, 2} {
		raw := expect.Got(images.Read(row))(t)
		if row == 7 {
			expect.Same(t, 0, len(raw))
			continue
		}
		photo := expect.Got(png.Decode(bytes.NewReader(raw)))(t)
		r, g, _, _ := photo.At(1, 1).RGBA()
		expect.Same(t, row%2 == 0, r > g, row)
	}
	expect.Says(t, expect.Err(images.Read(10)), "there are 10 rows")
}

// Further columns leave the bytes of the others as they were, and datasets' features name them.
func TestExtend(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.parquet")
	numbers, doubts, texts := make([]any, 10), make([]any, 10), make([]any, 10)
	for row := range 10 {
		numbers[row], doubts[row], texts[row] = int64(row%2), float64(row)/16, strings.Repeat("ä", row)
	}
	numbers[3], doubts[8], texts[0] = nil, nil, nil
	columns := []NewColumn{
		{Name: "label_corrected", Kind: "int64", Values: numbers, Classes: []string{"réd", "green"}},
		{Name: "a_text", Kind: "string", Values: texts},
		{Name: "p_wrong", Kind: "float64", Values: doubts},
	}
	expect.OK(t, Extend(fromDatasets, out, columns))
	before, after := expect.Got(os.ReadFile(fromDatasets))(t), expect.Got(os.ReadFile(out))(t)
	if !bytes.HasPrefix(after, before[:4+columnsEnd(t, fromDatasets)]) {
		t.Error("the columns that were there have other bytes")
	}
	was, is := cellsIn(t, fromDatasets), cellsIn(t, out)
	for row := range was {
		want := append(slices.Clone(was[row]), text(numbers[row]), text(texts[row]), text(doubts[row]))
		expect.Same(t, want, is[row], row)
	}
	file := expect.Got(parquet.OpenFile(bytes.NewReader(after), int64(len(after))))(t)
	said, _ := file.Lookup(huggingFace)
	features := gjson.Get(said, "info.features")
	if features.Get("label_corrected.names.1").String() != "green" ||
		features.Get("p_wrong.dtype").String() != "float64" || features.Get("labels.names.0").String() != "réd" {
		t.Errorf("features %s", features)
	}
	if _, there := file.Lookup(arrowSchema); there {
		t.Error("a schema of Arrow that lacks the new columns is still there")
	}
	expect.Says(t, Extend(out, filepath.Join(t.TempDir(), "x.parquet"), columns[:1]),
		`has a column "label_corrected" already`)
	expect.Says(t, Extend(fromDatasets, out, []NewColumn{{Name: "x", Kind: "int64", Values: numbers[:9]}}),
		"9 values of x for 10 rows")
}

// A file that is cut off, or none of Parquet, is one error, and writes nothing.
func TestExtendDamaged(t *testing.T) {
	whole := expect.Got(os.ReadFile(fromDatasets))(t)
	for want, content := range map[string][]byte{
		"it is not Parquet": nil, "it is not Parquet, or": []byte("hello, this is text"),
		"the file is cut off": whole[:len(whole)-9], "the file is cut off: it": whole[:40],
	} {
		dir := t.TempDir()
		path, out := filepath.Join(dir, "in.parquet"), filepath.Join(dir, "out.parquet")
		expect.OK(t, os.WriteFile(path, content, 0o600))
		expect.Says(t, Extend(path, out, []NewColumn{{Name: "x", Kind: "int64", Values: make([]any, 10)}}),
			"in.parquet: "+want)
		expect.Says(t, expect.Err(ReadFeatures(path)), want)
		expect.Is(t, expect.Err(os.Stat(out)), os.ErrNotExist)
	}
}

// text is a value as a cell.
func text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// columnsEnd is how many bytes the columns have.
func columnsEnd(t *testing.T, path string) (n int64) {
	t.Helper()
	content := expect.Got(os.ReadFile(path))(t)
	file := expect.Got(parquet.OpenFile(bytes.NewReader(content), int64(len(content))))(t)
	for _, group := range file.Metadata().RowGroups {
		for _, c := range group.Columns {
			n += c.MetaData.TotalCompressedSize
		}
	}
	return n
}

// cellsIn are the cells of all single columns.
func cellsIn(t *testing.T, path string) (cells [][]string) {
	t.Helper()
	r := expect.Got(Open(path))(t)
	columns := slices.DeleteFunc(slices.Clone(r.Columns()), func(name string) bool {
		return name == "image" || name == "tags"
	})
	expect.OK(t, r.Select(columns...))
	return readAll(t, r, nil)[1:]
}
