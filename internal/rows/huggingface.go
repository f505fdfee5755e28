package rows

import (
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/tidwall/gjson"
)

// huggingFace is the key in a Parquet file's metadata where Hugging Face's datasets describes the columns.
const huggingFace = "huggingface"

// Features describes the columns of a Parquet file, as written by Hugging Face's datasets.
type Features struct {
	Columns []string            // in the order of the file
	Image   string              // column of images with their bytes, or ""
	Classes map[string][]string // names of the classes, by column of class labels
	Whole   map[string]bool     // columns of whole numbers
	Rows    int
}

// ReadFeatures reads the features of a Parquet file. If datasets has not described the columns, those with records
// {bytes, path} are images.
func ReadFeatures(path string) (f Features, err error) {
	file, closer, err := openParquet(path)
	if err != nil {
		return Features{}, err
	}
	defer closer.Close()
	defer recoverDamage(&err)
	return featuresOf(file), nil
}

// LabelColumn returns the column of the labels: label, or the only column of class labels if none has that name.
func (f Features) LabelColumn() string {
	if len(f.Classes) == 1 && !slices.Contains(f.Columns, "label") {
		for only := range f.Classes {
			return only
		}
	}
	return "label"
}

func featuresOf(file *parquet.File) Features {
	f := Features{Classes: map[string][]string{}, Whole: map[string]bool{}, Rows: int(file.NumRows())}
	text, _ := file.Lookup(huggingFace)
	var images []string
	gjson.Get(text, "info.features").ForEach(func(column, feature gjson.Result) bool {
		switch feature.Get("_type").String() {
		case "Image":
			images = append(images, column.String())
		case "ClassLabel":
			for _, name := range feature.Get("names").Array() {
				f.Classes[column.String()] = append(f.Classes[column.String()], name.String())
			}
		}
		return true
	})
	var records []string
	for _, c := range file.Root().Columns() {
		f.Columns = append(f.Columns, c.Name())
		f.Whole[c.Name()] = c.Leaf() && (c.Type().Kind() == parquet.Int32 || c.Type().Kind() == parquet.Int64)
		b, p := child(c, "bytes"), child(c, "path")
		if b == nil || p == nil || c.Repeated() || b.Type().Kind() != parquet.ByteArray ||
			p.Type().Kind() != parquet.ByteArray || b.Repeated() {
			continue
		}
		if len(images) == 0 || slices.Contains(images, c.Name()) {
			records = append(records, c.Name())
		}
	}
	if len(records) > 0 {
		f.Image = records[0]
		if slices.Contains(records, "image") {
			f.Image = "image"
		}
	}
	return f
}

// child returns the leaf with a name in a record, or nil.
func child(c *parquet.Column, name string) *parquet.Column {
	for _, inside := range c.Columns() {
		if inside.Name() == name && inside.Leaf() {
			return inside
		}
	}
	return nil
}

// Numbered returns NUMBER=NAME for the classes of a column whose numbers are in there. A name equal to its number needs
// no entry. It is nil if a name is another class's number, which would be ambiguous.
func (f Features) Numbered(column string, there map[string]bool) (names []string) {
	for k, name := range f.Classes[column] {
		number := strconv.Itoa(k)
		n, err := strconv.Atoi(strings.TrimSpace(name))
		switch {
		case err == nil && n != k:
			return nil
		case err != nil && strings.TrimSpace(name) != "" && there[number]:
			names = append(names, number+"="+name)
		}
	}
	return names
}

// Distinct adds the values of a column to there.
func Distinct(path, column string, there map[string]bool) error {
	r, err := Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.Select(column); err != nil {
		return err
	}
	return r.Each(func(row []string) error {
		if !there[row[0]] {
			there[strings.Clone(row[0])] = true
		}
		return nil
	})
}
