package audit

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/rows"
)

// sheetHeader are the columns of a file of random checks for people who use a spreadsheet. text is the beginning of a
// text, or the file of an image; the last one is for their answer: a class, or one of sheetStates.
var sheetHeader = []string{"id", "text", "given", "suggested", "chance", "true"}

// mostSheetText is the number of characters of a text in a sheet.
const mostSheetText = 2000

// sheetStates are the answers that are no class.
var sheetStates = []Action{Ambiguous, None, Skip}

// WriteSheet writes the random checks that are asked for to a new CSV file, with the answers that
// people have given already (Folder.Said), and with suggestions unless blind. It is an error if the file exists.
func (j *Judged) WriteSheet(ctx context.Context, path string, r *Random, s own.Source, decisions map[string]Decision,
	blind bool) error {
	texts, err := r.texts(ctx, s)
	if err != nil {
		return dataset.Errorf("the examples of the random checks: %w", err)
	}
	var suggested []int
	if !blind {
		suggested = j.Model.Judge(j.Model.Pi, nil, nil, false).Suggested
	}
	records := [][]string{sheetHeader}
	file, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("write the random checks: %w", err)
	}
	for n, k := range r.Distinct() {
		c := &r.Checks[k]
		d := decisions[c.ID]
		if !d.Holds(c.Given) {
			d = Decision{}
		}
		if d.Sheet {
			c.shown(file)
		}
		suggestion := ""
		if !blind {
			suggestion = j.Classes[suggested[j.Row(c.ID)]]
		}
		answer := d.Label
		if slices.Contains(sheetStates, d.Action) {
			answer = string(d.Action)
		}
		records = append(records, []string{rows.Cell(c.ID), rows.Cell(texts[n]), rows.Cell(c.Given), rows.Cell(suggestion),
			strconv.FormatFloat(c.Chance, 'g', 6, 64), rows.Cell(answer)})
	}
	if err := j.folder.Free(path); err != nil {
		return dataset.Errorf("%w", err)
	}
	var b bytes.Buffer
	_ = csv.NewWriter(&b).WriteAll(records) // to a buffer
	if err := files.Write(path, b.Bytes(), 0o666); err != nil {
		return fmt.Errorf("write the random checks: %w", err)
	}
	return j.folder.writeRandom(r)
}

// texts are the beginnings of the texts of the checks, each once, or the files of images; "" of numbers, and where
// there are no examples.
func (r *Random) texts(ctx context.Context, s own.Source) ([]string, error) {
	places := r.Distinct()
	texts, ids := make([]string, len(places)), make([]string, len(places))
	for n, k := range places {
		ids[n] = r.Checks[k].ID
	}
	if s.Path == "" {
		return texts, nil
	}
	return texts, s.EachOriginal(ctx, ids, func(k int, o own.Original) error {
		text := []rune(o.Text)
		texts[k] = string(text[:min(len(text), mostSheetText)])
		if file := filepath.Join(s.Path, filepath.FromSlash(ids[k])); len(o.Image) > 0 {
			if _, err := os.Stat(file); err == nil { // not in an archive
				texts[k] = file
			}
		}
		return nil
	})
}

// ReadSheet reads the answers of a file that WriteSheet wrote and people have filled in, by the
// names of the examples; of lines without an answer the action is Undo. A class named as one of ambiguous, none
// and skip is that class. Errors name the line.
func ReadSheet(path string, s own.Source, classes []string) (map[string]Decision, error) {
	data, err := files.Read(path, 1<<30)
	if err != nil {
		return nil, dataset.Errorf("the random checks: %w", err)
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	header, err := r.Read()
	if err != nil {
		return nil, dataset.Errorf("%s: %w", path, err)
	}
	id, given, truth := slices.Index(header, "id"), slices.Index(header, "given"), slices.Index(header, "true")
	if id < 0 || given < 0 || truth < 0 {
		return nil, dataset.Errorf("%s: line 1 has no columns id, given and true: is it a file of losscorr review --random "+
			"N --write FILE, saved as CSV with commas?", path)
	}
	names := s.Naming()
	answers := map[string]Decision{}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return answers, nil
		}
		if err != nil {
			return nil, dataset.Errorf("%s: %w", path, err)
		}
		answer := rows.Original(strings.TrimSpace(record[truth]))
		d := Decision{ID: rows.Original(record[id]), Given: names.ClassName(rows.Original(record[given])),
			Action: Action(strings.ToLower(answer))}
		switch class := names.ClassName(answer); {
		case answer == "":
			d.Action = Undo
		case slices.Contains(classes, class):
			d.Label, d.Action = class, Other
			if d.Label == d.Given {
				d.Action = Accept
			}
		case !slices.Contains(sheetStates, d.Action):
			line, _ := r.FieldPos(truth)
			return nil, dataset.Errorf("%s: line %d: %q is no class (%s), and not ambiguous, none or skip", path, line, answer,
				humanize.Listed(classes, 5))
		}
		answers[d.ID] = d
	}
}
