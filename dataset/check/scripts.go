package check

import (
	"slices"
	"strings"
	"unicode"
)

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
