package audit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
)

// sheetHeader has the columns of a spreadsheet for random checks. text is the beginning of a text, or the file of an
// image. true is for people's answers: a class, or one of sheetStates.
var sheetHeader = []string{"id", "text", "given", "suggested", "chance", "true"}

// mostSheetText is the largest number of characters of a text.
const mostSheetText = 2000

// WriteSheet writes random checks to a new CSV file, with people's answers so far, and with suggestions unless blind.
// It is an error if the file exists.
func (j *Judged) WriteSheet(ctx context.Context, path string, r Draws, log *LogWriter, blind bool) error {
	s := j.Summary.Source
	texts, err := r.texts(ctx, s)
	if err != nil {
		return dataset.Errorf("the examples of the random checks: %w", err)
	}
	suggested := j.Given
	if !blind {
		suggested = j.Model.Judge(j.Model.Pi, nil, nil, false).Suggested
	}
	records, decisions := [][]string{sheetHeader}, Last(log.Said(s))
	file, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("write the random checks: %w", err)
	}
	var shown []Decision // answers from other files, so that clearing their cell takes them back
	for n, k := range r.Distinct() {
		c := r[k]
		d := decisions[c.ID]
		if !d.Holds(c.Given) {
			d = Decision{}
		}
		if d.Why == InFile {
			shown = append(shown, d.inFile(file))
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
	if err := Free(path); err != nil {
		return err
	}
	if err := files.Write(path, CSV(records), 0o666); err != nil {
		return fmt.Errorf("write the random checks: %w", err)
	}
	return log.Append(shown...)
}

// texts returns the beginning of each distinct check's text, or the file of its image; "" for numbers, and if there
// are only labels.
func (r Draws) texts(ctx context.Context, s own.Source) ([]string, error) {
	places := r.Distinct()
	texts, ids := make([]string, len(places)), make([]string, len(places))
	for n, k := range places {
		ids[n] = r[k].ID
	}
	if s.Path == "" {
		return texts, nil
	}
	return texts, s.EachOriginal(ctx, ids, func(k int, o own.Original) error {
		text := []rune(o.Text)
		texts[k] = string(text[:min(len(text), mostSheetText)])
		if file := filepath.Join(s.Path, filepath.FromSlash(ids[k])); len(o.Image) > 0 {
			if _, err := os.Stat(file); err == nil { // it is not in an archive
				texts[k] = file
			}
		}
		return nil
	})
}
