package correction

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/guard"
)

// Trusted is an example of X', the training and validation sets together, with its true label.
type Trusted struct {
	Index, Label int
}

// ReadTrustedCSV reads trusted labels of a training set of n examples. A line holds the number of the example and the
// name of its class or, if no class has that name, the number of its class. Both numbers count from 0.
//
//	index,label
//	17,cat
//
// It is an error if an example or a class does not exist, an example appears twice, or the file has no labels. The
// error names the file and the line.
func ReadTrustedCSV(path string, n int, classes []string) (trusted []Trusted, err error) {
	defer guard.Wrap(&err, "correction: read trusted labels")
	header, lines := []string{"index", "label"}, map[int]int{}
	headed := false
	err = eachRecord(path, func(r *csv.Reader, record []string) error {
		line, _ := r.FieldPos(0)
		switch {
		case !headed && !slices.Equal(record, header):
			return fmt.Errorf("header %q, want index,label", record)
		case !headed:
			headed = true
			return nil
		case len(record) != len(header):
			return &csv.ParseError{Line: line, Column: 1, Err: csv.ErrFieldCount}
		}
		x, err := strconv.Atoi(record[0])
		if err != nil || x < 0 || x >= n {
			return fmt.Errorf("index %q, want a whole number in [0, %d)", record[0], n)
		}
		if first, twice := lines[x]; twice {
			return fmt.Errorf("example %d is in line %d already: remove one of the two", x, first)
		}
		lines[x] = line
		y := slices.Index(classes, record[1])
		if y < 0 {
			if y, err = strconv.Atoi(record[1]); err != nil || y < 0 || y >= len(classes) {
				return fmt.Errorf("no class %q: use one of %s", record[1], strings.Join(classes, ", "))
			}
		}
		trusted = append(trusted, Trusted{Index: x, Label: y})
		return nil
	})
	if err == nil && len(trusted) == 0 {
		err = fmt.Errorf("%s: the file has no labels: add lines index,label after the header", path)
	}
	return trusted, err
}

// DrawTrusted returns the first perClass examples of each class in the given order, or all if there are fewer. With a
// random order it simulates checked labels in experiments where all true labels are known.
func DrawTrusted(labels, order []int, perClass int) []Trusted {
	var trusted []Trusted
	taken := map[int]int{}
	for _, x := range order {
		if y := labels[x]; taken[y] < perClass {
			taken[y]++
			trusted = append(trusted, Trusted{Index: x, Label: y})
		}
	}
	return trusted
}
