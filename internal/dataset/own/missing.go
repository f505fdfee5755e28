package own

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/humanize"
)

// The rule for missing labels is the same for tables, arrays, lists, folders and answers:
//
//   - an empty cell, null, NaN and an empty list;
//   - in Hugging Face's class labels a number without a name, and with Source.ClassNames a negative
//     number without one;
//   - the only negative number beside two or more other classes, such as -1 beside 0 to 9. Numbers
//     that are balanced around 0 are classes: -1 and 1, -1 to 1, -2 to 2.
//
// In answers, -1 with only 0 and 1 is missing as well, as in an array of answers, unless other answers
// are empty. A class whose name looks like a missing label is only a finding: see MissingNames.

// isMissing reports whether a label is empty or NaN.
func isMissing(label string) bool {
	label = strings.TrimSpace(label)
	return label == "" || strings.EqualFold(label, "nan")
}

// missingNumbers returns the numbers among labels that mean a missing label. names are the user's names
// of classes.
func missingNumbers(labels []string, names Naming) (missing []string) {
	classes := classNames(labels)
	negative, balanced := negatives(classes)
	if len(names) > 0 {
		return slices.DeleteFunc(negative, func(label string) bool { return names[label] != "" })
	}
	if len(negative) != 1 || balanced || len(classes) < 3 {
		return nil
	}
	return negative
}

// negatives returns the negative numbers among classes, and whether the smallest number is minus the
// largest.
func negatives(classes []string) (negative []string, balanced bool) {
	least, most := 0, 0
	for _, class := range classes {
		n, err := strconv.Atoi(class)
		if err == nil && n < 0 {
			negative = append(negative, class)
		}
		least, most = min(least, n), max(most, n)
	}
	return negative, least == -most
}

// isTernary reports whether the classes are -1, 0 and 1: three classes, or two and a missing label.
func isTernary(classes []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(classes)), []string{"-1", "0", "1"})
}

// missingWords are what people, R, Python, databases and spreadsheets write for a missing value, in
// lower case.
var missingWords = []string{
	"na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nan", "null", "none", "nil", "undefined",
	"?", "??", "-", "--", "---", ".", "unknown", "unlabeled", "unlabelled", "missing", "no label",
}

// MissingNames returns the classes whose names are usual for a missing label. With a class +, - is a class, and numbers
// that are balanced around 0 are, unless they are -1 with only 0 and 1.
func MissingNames(classes []string) []string {
	negative, balanced := negatives(classes)
	return slices.DeleteFunc(slices.Clone(classes), func(class string) bool {
		word := slices.Contains(missingWords, strings.ToLower(strings.TrimSpace(class))) &&
			(class != "-" || !slices.Contains(classes, "+"))
		number := slices.Contains(negative, class) && (!balanced || isTernary(classes))
		return !word && !number
	})
}

// missingNumbers returns the numbers that mean a missing label in the training rows of a table.
func (t *labelTable) missingNumbers(names Naming) []string {
	var labels []string
	for k, label := range t.labels {
		if label != "" && (t.splits == nil || t.splits[k] == "train") {
			labels = append(labels, label)
		}
	}
	return missingNumbers(labels, names)
}

// labelled returns the rows with a label other than the missing numbers, and the other rows with
// reasons. It clears true labels that are such numbers.
func (t *labelTable) labelled(missing []string) (kept []int, left []dataset.Skipped) {
	for k, truth := range t.truths {
		if slices.Contains(missing, truth) {
			t.truths[k] = ""
		}
	}
	for k, label := range t.labels {
		switch {
		case label == "":
			left = append(left, dataset.Skipped{Name: t.ids[k], Why: "no label in " +
				filepath.Base(cmp.Or(t.labelsPath, t.path))})
		case slices.Contains(missing, label):
			left = append(left, dataset.Skipped{Name: t.ids[k], Why: fmt.Sprintf("the label %s counts as missing; to keep "+
				"it as a class, use --class-names %[1]s=NAME", label)})
		default:
			kept = append(kept, k)
		}
	}
	return kept, left
}

// tooManyMissing returns an error if more examples than allowed lack a label.
func tooManyMissing(path string, left []dataset.Skipped, allowed int) error {
	return missingError(path, left, allowed, fmt.Sprintf("leave these examples out with --max-bad %d", len(left)))
}

// complete returns an error if any example lacks a label.
func complete(path string, left []dataset.Skipped) error {
	return missingError(path, left, 0, "remove the rows")
}

func missingError(path string, left []dataset.Skipped, allowed int, remedy string) error {
	if len(left) <= allowed {
		return nil
	}
	return fmt.Errorf("%s: %s without a label (%s): add labels, or %s", path, humanize.Count(len(left), "example"),
		shorten(dataset.SkippedNames(left)), remedy)
}
