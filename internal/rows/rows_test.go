package rows

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// all returns the selected columns of a table as lines PLACE|VALUE|...
func all(path string, columns ...string) (lines []string, err error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if len(columns) > 0 {
		if err := r.Select(columns...); err != nil {
			return nil, err
		}
	}
	err = r.Each(func(row []string) error {
		lines = append(lines, strings.Join(append([]string{r.Place()}, row...), "|"))
		return nil
	})
	return lines, err
}

// Every format returns the same rows.
func TestFormats(t *testing.T) {
	type example struct {
		ID    int32   `parquet:"id"`
		Text  string  `parquet:"text"`
		Label *string `parquet:"label,optional"`
	}
	cat, dog := "cat", "dog"
	var pq bytes.Buffer
	w := parquet.NewGenericWriter[example](&pq, parquet.MaxRowsPerRowGroup(2))
	expect.OK(t, expect.Err(w.Write([]example{{1, "a, \"b\"\nc", &cat}, {2, "ä", nil}, {3, "", &dog}})))
	expect.OK(t, w.Close())
	csv := "id,text,label\r\n1,\"a, \"\"b\"\"\nc\",cat\r\n2,ä,\r\n\r\n3,,dog"
	tsv := "id\ttext\tlabel\n1\t\"a, \"\"b\"\"\nc\"\tcat\n2\tä\t\n\n3\t\tdog\n"
	jsonl := `{"id": 1, "text": "a, \"b\"\nc", "label": "cat"}` + "\n" +
		`{"text": "\u00e4", "id": 2, "label": null}` + "\n\n" + `{"id": 3, "label": "dog"}`
	for name, c := range map[string]struct{ content, places string }{
		"a.csv": {csv, "line 2|line 4|line 6"}, "A.CSV": {"\ufeff" + csv, "line 2|line 4|line 6"},
		"a.csv.gz": {datasettest.Gzip(t, csv), "line 2|line 4|line 6"},
		"a.tsv":    {tsv, "line 2|line 4|line 6"}, "a.tsv.gz": {datasettest.Gzip(t, tsv), "line 2|line 4|line 6"},
		"a.jsonl":     {jsonl, "line 1|line 2|line 4"},
		"a.ndjson.gz": {datasettest.Gzip(t, jsonl), "line 1|line 2|line 4"},
		"a.parquet":   {pq.String(), "row 0|row 1|row 2"},
	} {
		p := strings.Split(c.places, "|")
		want := []string{p[0] + "|cat|a, \"b\"\nc", p[1] + "||ä", p[2] + "|dog|"}
		path := datasettest.File(t, name, c.content)
		expect.Same(t, want, expect.Got(all(path, "label", "text"))(t), name)
		if got, err := all(path); err != nil || len(got) != 3 || !strings.HasPrefix(got[0], p[0]+"|1|a, ") {
			t.Errorf("%s, all columns: %q %v", name, got, err)
		}
	}
}

// Rows without a value, as spreadsheets write them, are left out, and so are separators at the end of a row.
func TestBlankRows(t *testing.T) {
	path := datasettest.File(t, "a.csv", "id,label\n1,x\n,\n \t,\"\"\n2,y,\n3,x, ,\n,,,\n")
	expect.Same(t, []string{"line 2|1|x", "line 5|2|y", "line 6|3|x"}, expect.Got(all(path))(t))
	expect.Same(t, []string{"line 2|x", "line 3|y"},
		expect.Got(all(datasettest.File(t, "a.csv", "id,label,\n1,x\n2,y,\n"), "label"))(t))
}

// Keys may come after the first line, and only in some lines.
func TestLaterKeys(t *testing.T) {
	path := datasettest.File(t, "a.jsonl", "{\"a\": 1}\n\n{\"b\": [{\"c\": 2}], \"a\": 2}\n{\"a\": 3, \"d\": null}\n")
	want := []string{"line 1|1||", "line 3|2|[{\"c\": 2}]|", "line 4|3||"}
	expect.Same(t, want, expect.Got(all(path))(t))
	long := strings.Repeat(fmt.Sprintf("{\"a\": %q}\n", strings.Repeat("x", 1000)), 2000)
	got := expect.Got(all(datasettest.File(t, "a.jsonl", long+"{\"a\": 1, \"late\": 2}\n")))(t)
	expect.Same(t, 2001, len(got))
	expect.Same(t, "line 2001|1", got[2000])
}

func TestFloats(t *testing.T) {
	for v, want := range map[float64]string{1e6: "1000000", -2.5e6: "-2500000", .5: "0.5", 1e300: "1e+300",
		1e-7: "1e-07"} {
		expect.Same(t, want, floatText(v, 64), v)
	}
}

func TestJSONValues(t *testing.T) {
	expect.Same(t, []string{`line 1|1.50|true|[1, "x"]|`},
		expect.Got(all(datasettest.File(t, "a.jsonl", `{"n": 1.50, "b": true, "l": [1, "x"], "e": ""}`)))(t))
}

// A file by pyarrow; see testdata/generate.py.
func TestParquetOfPython(t *testing.T) {
	path := filepath.Join("testdata", "golden.parquet")
	want := []string{
		"row 0|-1|200|4000000000|18000000000000000000|0.5|0.1|true|cat|dog|x|",
		"row 1|||||||||||",
		"row 2|2|1|1|1|-1.5|1e-300|false|ä|dog|y|",
	}
	expect.Same(t, want, expect.Got(all(path))(t))
	for column, want := range map[string]string{
		"list": `the column "list" holds lists, records, decimals or bytes of fixed length`, "half": "holds lists",
		"record": "holds lists", "decimal": "holds lists",
		"flaot": `did you mean "float"?`,
	} {
		expect.Says(t, expect.Err(all(path, column)), want)
	}
}

// A damaged file is an error or has other values, and never a panic.
func TestDamagedParquet(t *testing.T) {
	whole := expect.Got(os.ReadFile(filepath.Join("testdata", "golden.parquet")))(t)
	for n := 0; n < len(whole); n += 3 {
		damaged := bytes.Clone(whole)
		damaged[n] ^= 0xff
		if r, err := OpenBytes("a.parquet", damaged); err == nil {
			_ = r.Each(func([]string) error { return nil })
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, content, columns, want string }{
		{"a.txt", "x", "", "a.txt is not a table by its name: want .csv, .tsv"},
		{"a.csv", "", "", "a.csv is empty"},
		{"a.csv.gz", "\x1f\x8b\b\x00\x00\x00\x00\x00\x00\xff", "", "a.csv.gz: it is truncated or damaged"},
		{"a.csv", "\n\n", "", "a.csv: it has no line with the names of the columns"},
		{"a.csv", "id,label\n1,cat\n2,dog,x\n", "", "a.csv:3: 3 fields, but there are 2 columns"},
		{"a.csv", "id,label\n1,\"cat\n2,dog\n", "",
			`a.csv:2: extraneous or missing " in quoted-field (line 3, character 7): write a quote inside of a value as ""`},
		{"a.csv", "id,label\n1,cat\n2,c\"a,t\n", "",
			`a.csv:3: bare " in non-quoted-field (line 3, character 4): write a quote inside of a value as ""`},
		{"a.csv", "id,label\n1,Stra\xdfe\n", "", `a.csv:2: column "label" is not UTF-8 text: convert the file (iconv`},
		{"a.csv", "id,Stra\xdfe\n", "", "a.csv:1: the names of the columns are not UTF-8"},
		{"a.csv", "\xff\xfei\x00", "", "a.csv: it is not UTF-8 text, perhaps UTF-16: convert it"},
		{"a.csv", "i\x00d\x00,\x00", "", "a.csv: it is not UTF-8 text"},
		{"a.tsv", "\x00\x00\x00i", "", "a.tsv: it is not UTF-8 text"},
		{"a.csv", ",label\n1,2\n", "Unnamed: 1", `a.csv has no column "Unnamed: 1" (columns: ["Unnamed: 0" "label"])`},
		{"a.csv", "id;label\n1;2\n", "", `a.csv:1: the columns seem to be separated by ";"`},
		{"a.csv", "id,label\n1,2\n", "lable", `a.csv has no column "lable", did you mean "label"? (columns: ["id" "label"])`},
		{"a.csv", "id,label\n1,2\n", "di/label/lable",
			`a.csv has no column "di"; no column "lable", did you mean "label"? (columns: ["id" "label"])`},
		{"a.csv", "id,weight\n1,2\n", "label", `a.csv has no column "label" (columns: ["id" "weight"])`},
		{"a.csv", "id,label,label\n1,2,3\n", "label", `a.csv: the column "label" is there more than once`},
		{"a.csv.gz", "id,label\n1,cat\n2,dog\n", "", "a.csv.gz: not gzip, though its name ends so"},
		{"a.csv.gz", datasettest.Gzip(t, "id,label\n1,2\n")[:20], "", "a.csv.gz: it is truncated or damaged"},
		{"a.jsonl", "\n", "", "a.jsonl: it has no line with an object"},
		{"a.jsonl", "[1, 2]\n", "", `a.jsonl:1: want one JSON object a line, and this begins with "[1, 2]"`},
		{"a.jsonl", "{\"a\": 1}\n{\"a\": 2", "", "a.jsonl:2: malformed JSON: unexpected end of JSON input"},
		{"a.jsonl", "{\"a\": 1}\n{\"a\" 2}", "", "a.jsonl:2: malformed JSON: invalid character '2' after object key"},
		{"a.jsonl", "{\"a\": 1}\n{\"a\": 2} {}", "", "a.jsonl:2: malformed JSON: invalid character '{'"},
		{"a.jsonl", "{\"a\": 1}\n{\"a\": \"Stra\xdfe\"}\n", "", "a.jsonl:2: not UTF-8 text"},
		{"a.parquet", "PAR2 and then nothing", "", "a.parquet: it is not Parquet, or damaged"},
		{"a.csv.gz", datasettest.Gzip(t, ""), "", "a.csv.gz: it is empty"},
		{"a.csv", "\ufeff", "", "a.csv: it has no line with the names of the columns"},
		{"a.parquet.gz", "x", "", "is not a table by its name"},
		{"a.parquet", "PAR1 and then nothing", "", "a.parquet: the file is cut off"},
	} {
		var columns []string
		if c.columns != "" {
			columns = strings.Split(c.columns, "/")
		}
		expect.Says(t, expect.Err(all(datasettest.File(t, c.name, c.content), columns...)), c.want)
	}
	folder := filepath.Join(t.TempDir(), "a.csv")
	expect.OK(t, os.Mkdir(folder, 0o755))
	expect.Says(t, expect.Err(Open(folder)), "a.csv is a folder, not a table")
}

// A quote that is not closed ends at the bound of a row, not at the end of a file of
// gigabytes.
func TestLongRow(t *testing.T) {
	defer func(most int) { maxRow = most }(maxRow)
	maxRow = 1 << 20
	path := datasettest.File(t, "a.csv", "id,text\n1,a\n2,\""+strings.Repeat("text\n", maxRow/5+2000))
	want := "a.csv:3: the row that begins here or after has more than 64 MiB: is a quote not closed?"
	if lines, err := all(path); err == nil || !strings.HasSuffix(err.Error(), want) || len(lines) != 1 {
		t.Errorf("%d rows, %v, want %q", len(lines), err, want)
	}
}

// Whatever the bytes, each format ends and keeps the width of its rows.
func FuzzRead(f *testing.F) {
	names := []string{"a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.csv.gz"}
	golden := expect.Got(os.ReadFile(filepath.Join("testdata", "golden.parquet")))(f)
	f.Add(0, []byte("id,label\n1,\"c\"\"at\"\n"))
	f.Add(0, []byte("\xef\xbb\xbfid,label\n1,2,3\n"))
	f.Add(1, []byte("id\tlabel\n1\t\"x\n"))
	f.Add(2, []byte("{\"id\": 1, \"l\": null}\n{\"l\": [1, {}]}\n"))
	f.Add(3, golden)
	f.Add(4, []byte(datasettest.Gzip(f, "id,label\n1,2\n")))
	f.Fuzz(func(t *testing.T, format int, content []byte) {
		r, err := Open(datasettest.File(t, names[uint(format)%uint(len(names))], string(content)))
		if err != nil {
			return
		}
		defer r.Close()
		for {
			row, err := r.Read()
			if err != nil {
				return
			}
			if len(row) != len(r.Columns()) {
				t.Fatalf("%d values, %d columns", len(row), len(r.Columns()))
			}
		}
	})
}

// A column without a name, as pandas writes its index, has the name that pandas gives it.
func TestUnnamedColumn(t *testing.T) {
	path := datasettest.File(t, "a.csv", ",text,\n7,a,x\n9,b,y\n")
	want := []string{"line 2|7|a|x", "line 3|9|b|y"}
	expect.Same(t, want, expect.Got(all(path, "Unnamed: 0", "text", "Unnamed: 2"))(t))
	path = datasettest.File(t, "a.csv", "Unnamed: 1,\n7,x\n") // a column of that name
	expect.Same(t, []string{"line 2|7"}, expect.Got(all(path, "Unnamed: 1"))(t))
}

// A row that breaks the rules for quotes is read alone: it does not swallow the next rows.
func TestMalformedQuotes(t *testing.T) {
	for _, c := range []struct{ name, table, want string }{
		{"a.csv", "id,text,label\n1,5\" pipe,x\n2,b,y\n", `2|1|5" pipe|x 3|2|b|y`},
		{"a.csv", "id,text,label\n1,\"5\" pipe\",x\n2,b,y\n3,\"a\" b,y\n", `2|1|5" pipe|x 3|2|b|y 4|3|"a" b|y`},
		{"a.csv", "text,label\r\n\r\n\"a \\\"b\\\" c\",x\r\n\"\\\"d\\\"\",y\r\n\"e\",x", `3|a "b" c|x 4|"d"|y 5|e|x`},
		{"a.csv", "text,label\n\"a \\\"b\\\"\nand c\",x\n\"d\\\\\",y\n", "2|a \"b\"\nand c|x 4|d\\\\|y"},
		{"a.csv", "text,label\n\"a\nb, \"\"c\"\"\",x\nd \"e\" f,y\n\"g\",x\n", "2|a\nb, \"c\"|x 4|d \"e\" f|y 5|g|x"},
		{"a.tsv", "text\tlabel\n\"worse\tneg\n\"bad\"\tneg\n", `2|"worse|neg 3|bad|neg`},
		{"a.tsv", "text\tlabel\ngood\tpos\n\"abc\tpos\ndef\"\tneg\n", `2|good|pos 3|"abc|pos 4|def"|neg`},
		{"a.tsv", "text\tlabel\n5\" disk\tpos\n\"a\tb\"\tneg\n", "2|5\" disk|pos 3|a\tb|neg"},
	} {
		r := expect.Got(Open(datasettest.File(t, c.name, c.table)))(t)
		var got []string
		err := r.Each(func(row []string) error {
			got = append(got, strings.TrimPrefix(r.Place(), "line ")+"|"+strings.Join(row, "|"))
			return nil
		})
		expect.OK(t, err)
		expect.Same(t, c.want, strings.Join(got, " "), c.table)
	}
}
