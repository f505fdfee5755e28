package relabel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/rows"
)

const parquetForm = "parquet"

// Columns that Export adds to Parquet.
const (
	correctedColumn = "label_corrected"
	wrongColumn     = "p_wrong"
	consensusColumn = "label_consensus"
)

// parquet writes the audited Parquet file, or the files of a folder into a new folder, with more columns:
// the corrected class and, unless decisionsOnly is set, p_wrong and the consensus of answers if the audit has
// one. They are null in rows that were not audited.
func (e *exporter) parquet(out string) error {
	if err := audit.Free(out); err != nil {
		return err
	}
	s := e.audited
	if isParquet(s.Source.Path) && !isParquet(out) {
		return fmt.Errorf("%s: the data of the audit is Parquet: choose a name that ends in .parquet", out)
	}
	if s.Source.Replaced(s.Files) {
		return dataset.Errorf("%s has changed since the audit: run the audit again", s.Source.Path)
	}
	shards, err := s.Source.Shards(context.Background())
	if err != nil {
		return dataset.Errorf("%w", err)
	}
	features, err := rows.ReadFeatures(shards[0].Path)
	if err != nil {
		return dataset.Errorf("%w", err)
	}
	t := newColumns{exporter: e, cells: cellsOf(s, features)}
	if e.consensus() && !e.decisionsOnly {
		labels, err := e.folder.Consensus()
		if err != nil {
			return err
		}
		t.agreed = make(map[string]string, len(labels))
		for _, l := range labels {
			t.agreed[l.ID] = l.Label
		}
	}
	for _, shard := range shards {
		to, err := placeOf(shard.Path, s.Source.Path, out)
		if err == nil {
			err = t.extend(shard, to)
		}
		if err != nil { // out did not exist before
			return errors.Join(err, os.RemoveAll(out))
		}
	}
	return nil
}

// placeOf returns the path for the copy of a file, in a new folder if the data is a folder.
func placeOf(file, data, out string) (string, error) {
	if isParquet(data) {
		return out, nil
	}
	name, err := filepath.Rel(data, file)
	if err != nil {
		return "", err
	}
	to := filepath.Join(out, name)
	return to, os.MkdirAll(filepath.Dir(to), 0o777)
}

func isParquet(path string) bool { return strings.EqualFold(filepath.Ext(path), ".parquet") }

// newColumns are the columns of an export.
type newColumns struct {
	*exporter
	cells
	agreed map[string]string // the consensus of answers by example name, or nil
}

// extend writes a file with the columns.
func (t *newColumns) extend(shard own.Shard, to string) error {
	t.Tasks += len(shard.Names)
	column := func(name, kind string, classes []string) rows.NewColumn {
		return rows.NewColumn{Name: name, Kind: kind, Classes: classes, Values: make([]any, len(shard.Names))}
	}
	corrected, wrong := column(correctedColumn, t.kind(), t.classes), column(wrongColumn, "float64", nil)
	consensus := column(consensusColumn, t.kind(), t.classes)
	for row, name := range shard.Names {
		var err error
		if issue, audited := t.byID[name]; audited {
			corrected.Values[row], err = t.cell(name, t.settle(issue, issue.Given, t.decisionsOnly))
			wrong.Values[row] = issue.PWrong
		}
		if label, there := t.agreed[name]; there && err == nil {
			consensus.Values[row], err = t.cell(name, label)
		}
		if err != nil {
			return err
		}
	}
	columns := []rows.NewColumn{corrected}
	if !t.decisionsOnly {
		columns = append(columns, wrong)
	}
	if t.agreed != nil {
		columns = append(columns, consensus)
	}
	if err := rows.Extend(shard.Path, to, columns); err != nil {
		return dataset.Errorf("%w", err)
	}
	return nil
}

// cells converts classes to the format of the column of given labels.
type cells struct {
	whole   bool             // the column holds numbers
	classes []string         // if it is a column of class labels
	numbers map[string]int64 // by class name
}

func cellsOf(s audit.Summary, f rows.Features) cells {
	c := cells{numbers: map[string]int64{}}
	if s.Source.Labels != "" && s.Crowd == nil { // the labels are in another file
		return c
	}
	column := cmp.Or(s.Source.Label, f.LabelColumn())
	c.whole, c.classes = f.Whole[column], f.Classes[column]
	for k, name := range c.classes {
		c.numbers[norm.NFC.String(strings.TrimSpace(name))] = int64(k)
	}
	for number, name := range s.Source.Naming() {
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			c.numbers[name] = n
		}
	}
	return c
}

func (c cells) kind() string {
	if c.whole {
		return "int64"
	}
	return "string"
}

func (c cells) cell(name, class string) (any, error) {
	if !c.whole {
		return class, nil
	}
	if n, err := strconv.ParseInt(class, 10, 64); err == nil {
		return n, nil
	}
	n, known := c.numbers[class]
	if !known {
		return nil, dataset.Errorf("the class of %s is %q, want one of the numbered classes %q", name, class,
			slices.Sorted(maps.Keys(c.numbers)))
	}
	return n, nil
}
