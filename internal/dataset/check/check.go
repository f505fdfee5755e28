package check

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/xrash/smetrics"
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
	// Why is how they differ: "case, spaces or punctuation", or "spelling".
	Why string `json:"why"`
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
	groups, bad, err := findDuplicates(ctx, d, from, opt)
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

// similarClasses returns the pairs of names that differ by case, spaces and punctuation, by one letter, or by two if
// one class has at most a fifth of the other's examples. Names that differ in digits do not count.
func similarClasses(classes []Class) (pairs []SimilarClasses) {
	folded := make([]string, len(classes))
	for k, c := range classes {
		folded[k] = foldName(c.Name)
	}
	for a := range classes {
		for b := range a {
			one, other := byLetters(folded[a], folded[b])
			short := min(len(one), len(other))
			why := ""
			switch {
			case folded[a] == folded[b] && folded[a] != "":
				why = "case, spaces or punctuation"
			case only(folded[a], unicode.Digit) != only(folded[b], unicode.Digit):
			case short < 5 || max(len(one), len(other)) > short+2:
			default:
				distance := smetrics.WagnerFischer(one, other, 1, 1, 1)
				few, many := classes[a].Train, classes[b].Train
				if few > many {
					few, many = many, few
				}
				if distance == 1 || distance == 2 && short > 7 && 5*few <= many {
					why = "spelling"
				}
			}
			if why != "" {
				pairs = append(pairs, SimilarClasses{Names: [2]string{classes[b].Name, classes[a].Name}, Why: why})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b SimilarClasses) int { return strings.Compare(a.Why, b.Why) })
	return pairs
}

// byLetters replaces each letter of two names by one byte, the same byte for the same letter, so that edits count
// letters.
func byLetters(a, b string) (string, string) {
	numbers := map[rune]byte{}
	written := func(name string) string {
		var out []byte
		for _, letter := range name {
			if _, known := numbers[letter]; !known {
				numbers[letter] = byte(len(numbers)) // unique for up to 256 letters
			}
			out = append(out, numbers[letter])
		}
		return string(out)
	}
	return written(a), written(b)
}

// foldName keeps the letters and digits of a name, in lower case. Numbers and names without letters or digits, such
// as + and -, stay as they are.
func foldName(name string) string {
	if _, err := strconv.ParseFloat(name, 64); err == nil { // its sign and point are not punctuation
		return name
	}
	folded := strings.ToLower(only(name, unicode.Letter, unicode.Digit, unicode.Mark))
	if folded == "" {
		return strings.Join(strings.Fields(name), "")
	}
	return folded
}

// only returns the characters of a name that are in one of some ranges.
func only(name string, ranges ...*unicode.RangeTable) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsOneOf(ranges, r) {
			return r
		}
		return -1
	}, name)
}
