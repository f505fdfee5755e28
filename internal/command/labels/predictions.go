package labels

import (
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/rows"
)

// predictions are the probabilities [N C] of examples.
type predictions struct {
	ids, classes []string
	p            []float32
}

// predictionWriter returns the function that writes predictions into a file, by its
// ending, or as CSV to w for an empty path.
func predictionWriter(path string) (func(w io.Writer, all predictions) error, error) {
	into := func(write func(predictions, io.Writer) error) func(io.Writer, predictions) error {
		return func(_ io.Writer, all predictions) error {
			return app.WriteFile(path, func(w io.Writer) error { return write(all, w) })
		}
	}
	switch ending := strings.ToLower(filepath.Ext(path)); {
	case path == "":
		return func(w io.Writer, all predictions) error { return all.csv(w) }, nil
	case ending == ".csv":
		return into(predictions.csv), nil
	case ending == ".parquet":
		return into(predictions.parquet), nil
	case ending == ".npy":
		return func(_ io.Writer, all predictions) error {
			if err := npy.WriteFloat32(path, all.p, len(all.classes)); err != nil {
				return app.NotWritten(path, err)
			}
			return nil
		}, nil
	}
	return nil, fmt.Errorf("--out %s: want a name that ends in .csv, .npy or .parquet", path)
}

// csv writes the name, the class, and the probability of each class.
func (all predictions) csv(w io.Writer) error {
	table := csv.NewWriter(w)
	header := []string{"id", "class"}
	for _, class := range all.classes {
		header = append(header, rows.Cell(class))
	}
	_ = table.Write(header) // Error returns the first error
	c := len(all.classes)
	line := make([]string, 2+c)
	for k, y := range correction.Classes(all.p, c) {
		line[0], line[1] = rows.Cell(all.ids[k]), rows.Cell(all.classes[y])
		for i, v := range all.p[k*c : (k+1)*c] {
			line[2+i] = strconv.FormatFloat(float64(v), 'g', -1, 32)
		}
		_ = table.Write(line)
	}
	table.Flush()
	return table.Error()
}

// parquet writes the columns of csv, in the order of their names.
func (all predictions) parquet(w io.Writer) error {
	columns := parquet.Group{"id": parquet.String(), "class": parquet.String()}
	for _, class := range all.classes {
		if columns[class] != nil {
			return fmt.Errorf("the class %q has the name of another column: write .csv or .npy", class)
		}
		columns[class] = parquet.Leaf(parquet.FloatType)
	}
	schema := parquet.NewSchema("predictions", columns)
	place := map[string]int{}
	for k, path := range schema.Columns() {
		place[path[0]] = k
	}
	out := parquet.NewWriter(w, schema, parquet.Compression(&parquet.Zstd))
	c := len(all.classes)
	for k, y := range correction.Classes(all.p, c) {
		row := make(parquet.Row, len(place))
		set := func(name string, v parquet.Value) { row[place[name]] = v.Level(0, 0, place[name]) }
		set("id", parquet.ByteArrayValue([]byte(all.ids[k])))
		set("class", parquet.ByteArrayValue([]byte(all.classes[y])))
		for i, v := range all.p[k*c : (k+1)*c] {
			set(all.classes[i], parquet.FloatValue(v))
		}
		if _, err := out.WriteRows([]parquet.Row{slices.Clip(row)}); err != nil {
			return fmt.Errorf("write parquet: %w", err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write parquet: %w", err)
	}
	return nil
}
