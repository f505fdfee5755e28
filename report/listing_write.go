package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
)

// Sheet is the listing for people: accuracies and seconds with two decimals.
func (l *Listing) Sheet() *Sheet {
	s := &Sheet{Head: l.Names()}
	for _, c := range l.Columns {
		s.Numbers = append(s.Numbers, c.Kind == reflect.Float64 || c.Kind == reflect.Int64 || c.Kind == reflect.Uint64)
	}
	for _, row := range l.Rows {
		line := make([]string, len(row))
		for k, v := range row {
			line[k] = entryText(v)
			if f, ok := v.(float64); ok && !l.Columns[k].Setting {
				line[k] = strconv.FormatFloat(f, 'f', 2, 64)
			}
		}
		s.Lines = append(s.Lines, line)
	}
	return s
}

// WriteCSV writes the listing with all digits.
func (l *Listing) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(l.Names()) // an error stays until Flush and comes out of Error
	for _, row := range l.Rows {
		line := make([]string, len(row))
		for k, v := range row {
			line[k] = entryText(v)
		}
		_ = out.Write(line)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("report: write csv: %w", err)
	}
	return nil
}

// WriteJSON writes {"schema": 1, "runs": [{column: entry, ...}]}. A number that
// is not finite is "NaN", "+Inf" or "-Inf", as in result.json.
func (l *Listing) WriteJSON(w io.Writer) error {
	runs := make([]map[string]any, len(l.Rows))
	for i, row := range l.Rows {
		runs[i] = make(map[string]any, len(row))
		for k, v := range row {
			if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
				v = entryText(f)
			}
			runs[i][l.Columns[k].Name] = v
		}
	}
	return encode(w, map[string]any{"schema": 1, "runs": runs})
}
