package dataset

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// joinForms gives labels and true labels the composed form of Unicode, NFC, so that é is one class
// whether a file has one character for it or, as names of files on macOS, two. It adds the classes
// that come in several forms to d.Joined.
func (t *labelTable) joinForms(d *Dataset) {
	forms := map[string]string{} // of each label
	for _, labels := range [][]string{t.labels, t.truths} {
		for k, label := range labels {
			composed, ok := forms[label]
			if !ok {
				composed = norm.NFC.String(label)
				forms[label] = composed
			}
			labels[k] = composed
		}
	}
	seen := map[string]bool{}
	for _, composed := range forms {
		if seen[composed] && !slices.Contains(d.Joined, composed) {
			d.Joined = append(d.Joined, composed)
		}
		seen[composed] = true
	}
	slices.Sort(d.Joined)
}

// lookalikes are letters of Cyrillic and Greek that look as those of Latin at the same place.
var lookalikes = func() map[rune]rune {
	const (
		others = "аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧοικνυ"
		latin  = "aeopcyxijshdqwABEKMHOPCTYXIJSABEZHIKMNOPTYXoikvu"
	)
	to := []rune(latin)
	table := map[rune]rune{}
	for k, r := range []rune(others) {
		table[r] = to[k]
	}
	return table
}()

// asLatin puts letters of Latin in the place of those that look alike.
func asLatin(name string) string {
	return strings.Map(func(r rune) rune {
		if latin, ok := lookalikes[r]; ok {
			return latin
		}
		return r
	}, name)
}

// mixesScripts reports whether a word of a name has letters of Latin and others that look alike.
func mixesScripts(name string) bool {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	return slices.ContainsFunc(words, func(word string) bool {
		return strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) &&
			strings.ContainsFunc(word, func(r rune) bool { return lookalikes[r] != 0 })
	})
}
