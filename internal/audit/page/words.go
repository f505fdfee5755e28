package page

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Chance is the probability that a label is wrong, in words.
func Chance(p float64) string { return "Chance that the label is wrong: " + chance(p) }

// percent writes a share of 1 in percent with as many digits as matter: 88, 12.5, 99.6,
// 0.04. A share below 1 is never written as 100.
func percent(share float64) string {
	v := 100 * share
	digits := 0
	switch {
	case v == 0:
	case v < .1:
		digits = 2
	case v < 20, v >= 99.5 && v < 99.95:
		digits = 1
	case v >= 99.95 && v < 100:
		return "over 99.9"
	}
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', digits, 64), ".0")
}

// chance writes a probability that is not certain.
func chance(p float64) string {
	switch {
	case p > .999:
		return "over 99.9 %"
	case p < .001:
		return "under 0.1 %"
	}
	return percent(p) + " %"
}

// sentence gives a text a capital at the start and a full stop at the end.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}
