package check

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Report is the result of a check of labelled data, for programs (as JSON) and for people (Text). Lists are empty if
// nothing was found.
type Report struct {
	Schema int    `json:"schema"` // 1
	Data   string `json:"data"`   // path of the source

	Train      int `json:"train"` // examples
	Validation int `json:"validation"`
	Test       int `json:"test"`

	Classes    []Class          `json:"classes"` // in the order of their numbers
	Similar    []SimilarClasses `json:"similar_classes"`
	Unreadable []string         `json:"unreadable"` // the lines of Skipped
	Duplicates []Duplicates     `json:"duplicates"` // most important first

	// Findings are lines for people, most important first.
	Findings []string `json:"findings"`

	// Skipped are missing and broken files, and labels without images.
	Skipped []dataset.Skipped `json:"-"`

	found []finding
}

// Class counts the examples of a class.
type Class struct {
	Name       string `json:"name"`
	Train      int    `json:"train"`
	Validation int    `json:"validation"`
	Test       int    `json:"test"`
	TooSmall   bool   `json:"too_small"` // fewer training examples than minClass
}

// SimilarClasses are two names that may mean one class.
type SimilarClasses struct {
	Names [2]string `json:"names"`
	Why   string    `json:"why"` // how they differ
}

// minClass is the number of training examples that a class needs for a row of T-hat. The row is the shares of labels
// among a fifth of them (correction's vertices); with fewer than 20 of these, the standard error of an entry of .2 is
// above .09.
const minClass = 100

// Run looks for broken files, duplicates, small classes and pairs of classes that may be one. Open the data set with
// a large Options.MaxBad to list all broken files. Images that are not in memory are read once, with opt.Progress.
func Run(ctx context.Context, d *dataset.Dataset, from *own.Data, opt dataset.Options) (*Report, error) {
	r := &Report{
		Schema: 1, Data: from.Source.Path, Train: d.Train.Len(), Validation: d.Validation.Len(), Test: d.Test.Len(),
		Classes: countClasses(d), Similar: []SimilarClasses{}, Duplicates: []Duplicates{}, Findings: []string{},
	}
	r.Similar = append(r.Similar, similarClasses(r.Classes)...)
	groups, bad, err := findDuplicates(ctx, d, opt)
	if err != nil {
		return nil, err
	}
	r.Duplicates = append(r.Duplicates, groups...)
	r.Skipped = slices.Concat(d.Skipped, bad)
	r.Unreadable = dataset.SkippedLines(r.Skipped)
	r.found = r.list(d)
	for _, f := range r.found {
		r.Findings = append(r.Findings, f.text)
	}
	return r, nil
}

// Read reads a user's own data without a view, and checks it with Run. Errors are dataset.ErrData, unless ctx has
// ended.
func Read(ctx context.Context, data *own.Data, opt dataset.Options) (d *dataset.Dataset, r *Report, err error) {
	plain := *data
	plain.Source.View = ""
	if d, err = plain.Read(ctx, opt); err == nil {
		r, err = Run(ctx, d, data, opt)
	}
	if err != nil && ctx.Err() == nil {
		err = dataset.Errorf("%w", err)
	}
	return d, r, err
}

// emptyTexts returns the names of texts without any token except padding and the start.
func emptyTexts(s dataset.Split) (names []string) {
	if s.Tokens == nil {
		return nil
	}
	for k := range s.Len() {
		if slices.Max(s.Tokens[k*s.Size():(k+1)*s.Size()]) < dataset.IDUnknown {
			names = append(names, s.ID(k))
		}
	}
	return names
}

func countClasses(d *dataset.Dataset) []Class {
	classes := make([]Class, len(d.Classes))
	train, validation, test := d.Train.Counts(len(classes)), d.Validation.Counts(len(classes)), d.Test.Counts(len(classes))
	for k, name := range d.Classes {
		classes[k] = Class{name, train[k], validation[k], test[k], train[k] < minClass}
	}
	return classes
}

// similarClasses returns the pairs of names that differ by case, spaces and punctuation.
func similarClasses(classes []Class) (pairs []SimilarClasses) {
	for a := range classes {
		for b := range a {
			if foldName(classes[a].Name) == foldName(classes[b].Name) {
				pairs = append(pairs, SimilarClasses{[2]string{classes[b].Name, classes[a].Name}, "case, spaces or punctuation"})
			}
		}
	}
	return pairs
}

// foldName keeps the letters and digits of a name, in lower case. Numbers and names without letters or digits, such
// as + and -, stay as they are.
func foldName(name string) string {
	if _, err := strconv.ParseFloat(name, 64); err == nil { // its sign and point are not punctuation
		return name
	}
	folded := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
	return cmp.Or(folded, strings.TrimSpace(name))
}
