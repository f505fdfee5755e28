package own

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/rows"
)

// Described fills in what the data says of itself: the column text of a table, where no content is named;
// the column of the labels and the names of its classes, where Hugging Face's datasets has written them
// into the Parquet file or files: of a column label, or of the only one of class labels; and the splits of a table in
// several files.
// What cannot be read stays as it is: what reads the data says it better.
func (s Source) Described() Source {
	s.Text = s.usualText()
	all := shardsOf(s.Path)
	if len(all) == 0 {
		for _, path := range tableFiles(s.Path) {
			all = append(all, shard{path: path})
		}
		if s.Split == "" && s.Test == "" {
			s.Split = rows.ShardSplit(s.Path)
		}
	}
	if len(all) == 0 || s.Labels != "" {
		return s
	}
	f, err := rows.ReadFeatures(all[0].path)
	if err != nil {
		return s
	}
	column := s.columns().label
	if s.Label == "" && f.LabelColumn() != column {
		column = f.LabelColumn()
		s.Label = column
	}
	if len(s.ClassNames) > 0 {
		return s
	}
	there := map[string]bool{}
	for _, part := range all {
		if part.split == all[0].split {
			if err := rows.Distinct(part.path, column, there); err != nil {
				return s
			}
		}
	}
	s.ClassNames = f.Numbered(column, there)
	return s
}

// Shard is a Parquet file whose rows are examples.
type Shard struct {
	Path  string
	Names []string // of the examples, by row
}

// Shards returns the Parquet files of a source, and which examples their rows are; nil where the
// source is no Parquet.
func (s Source) Shards(ctx context.Context) ([]Shard, error) {
	var out []Shard
	if paths := tableFiles(s.Path); len(paths) > 0 && !IsEmbedded(s.Path) {
		return s.tableShards(ctx, paths)
	}
	all := shardsOf(s.Path)
	next := map[string]int{}
	for _, part := range all {
		c, err := known(part)
		if err != nil {
			return nil, err
		}
		names := make([]string, len(c.lines))
		for row := range names {
			names[row] = part.folder + strconv.Itoa(next[part.folder]+row)
		}
		next[part.folder] += len(names)
		out = append(out, Shard{part.path, names})
	}
	return out, nil
}

// tableFiles returns the Parquet file or files of a path, nil where it has none.
func tableFiles(path string) []string {
	if strings.EqualFold(filepath.Ext(path), ".parquet") {
		return []string{path}
	}
	return rows.Shards(path)
}

// tableShards divides the names of the examples of a table among its files.
func (s Source) tableShards(ctx context.Context, paths []string) ([]Shard, error) {
	names, err := storageOf(s.Path).names(ctx, s)
	if err != nil || len(paths) == 1 {
		return []Shard{{paths[0], names}}, err
	}
	var out []Shard
	for _, path := range paths {
		n, err := rows.Count(path)
		if err != nil {
			return nil, err
		}
		if n > len(names) {
			return nil, fmt.Errorf("%s: %w", s.Path, errChanged)
		}
		out = append(out, Shard{path, names[:n]})
		names = names[n:]
	}
	return out, nil
}
