package correction

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/internal/files"
)

var labelsHeader = []string{"index", "clean", "noisy"}

// WriteLabelsCSV writes the labels of a run to a file, atomically, one example per
// line in the order of the training set, counted from 0:
//
//	index,clean,noisy
//	0,5,6
//
// It is an error if the slices differ in length.
func WriteLabelsCSV(path string, clean, noisy []int) error {
	if len(clean) != len(noisy) {
		return fmt.Errorf("correction: write labels: %s: %d clean labels and %d noisy ones", path, len(clean), len(noisy))
	}
	b := []byte("index,clean,noisy\n")
	for k := range clean {
		b = strconv.AppendInt(b, int64(k), 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(clean[k]), 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(noisy[k]), 10)
		b = append(b, '\n')
	}
	if err := files.Write(path, b, 0o644); err != nil {
		return fmt.Errorf("correction: write labels: %w", err)
	}
	return nil
}

// ReadLabelsCSV reads the labels of a data set of c classes from a file in the format
// of WriteLabelsCSV. Labels out of range, examples out of order and other damage are
// errors that name the file and the line.
func ReadLabelsCSV(path string, c int) (clean, noisy []int, err error) {
	clean, noisy, err = readLabels(path, c)
	if err != nil {
		return nil, nil, fmt.Errorf("correction: read labels: %w", err)
	}
	return clean, noisy, nil
}

func readLabels(path string, c int) (clean, noisy []int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	r := csv.NewReader(f)
	r.ReuseRecord = true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("%s: empty file, want the header index,clean,noisy", path)
	}
	if err != nil {
		return nil, nil, csvError(path, err)
	}
	header[0] = trimBOM(header[0])
	if !slices.Equal(header, labelsHeader) {
		return nil, nil, fmt.Errorf("%s:1: header %q, want index,clean,noisy", path, header)
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return clean, noisy, nil
		}
		if err != nil {
			return nil, nil, csvError(path, err)
		}
		var v [3]int
		for j, s := range record {
			line, column := r.FieldPos(j)
			if v[j], err = strconv.Atoi(s); err != nil {
				return nil, nil, fmt.Errorf("%s:%d:%d: %s %q is not a whole number", path, line, column, labelsHeader[j], s)
			}
			if j > 0 && (v[j] < 0 || v[j] >= c) {
				return nil, nil, fmt.Errorf("%s:%d:%d: %s label %d, want one in [0, %d)", path, line, column, labelsHeader[j], v[j], c)
			}
		}
		if v[0] != len(clean) {
			line, _ := r.FieldPos(0)
			return nil, nil, fmt.Errorf("%s:%d: index %d, want %d: examples must be in order and complete", path, line, v[0], len(clean))
		}
		clean = append(clean, v[1])
		noisy = append(noisy, v[2])
	}
}
