package dataset

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
)

type labelTable struct {
	path                                string
	ids, labels, splits, truths, groups []string
	trusted                             []bool
}

func readLabelTable(path string, s Source) (*labelTable, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseLabelTable(path, raw, s)
}

func parseLabelTable(path string, raw []byte, s Source) (*labelTable, error) {
	records, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil || len(records) == 0 {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t := &labelTable{path: path}
	column := func(name string) (values []string, err error) {
		if name == "" {
			return nil, nil
		}
		at := slices.Index(records[0], name)
		if at < 0 {
			return nil, fmt.Errorf("%s: no column %q", path, name)
		}
		for _, r := range records[1:] {
			values = append(values, r[at])
		}
		return values, nil
	}
	if t.ids, err = column(s.ID); err == nil {
		t.labels, err = column(s.Label)
	}
	if err == nil {
		t.splits, err = column(s.Split)
	}
	if err == nil {
		t.truths, err = column(s.Truth)
	}
	if err == nil {
		t.groups, err = column(s.Group)
	}
	return t, err
}

func classNames(labels []string) []string {
	labels = slices.Clone(labels)
	slices.Sort(labels)
	return slices.Compact(labels)
}
