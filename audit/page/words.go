package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/internal/humanize"
)

// Verdict is the result of an audit in a sentence.
func Verdict(s audit.Summary) string {
	n := float64(s.Examples)
	low, high := s.NoiseRateInterval.Low*n, s.NoiseRateInterval.High*n
	of := humanize.Number(s.Examples)
	switch {
	case math.Round(high) < 1:
		return fmt.Sprintf("No label of %s seems to be wrong.", of)
	case math.Round(s.ExpectedWrong) < 1:
		return fmt.Sprintf("Hardly any label of %s is wrong (at most %s).", of, humanize.About(high))
	case math.Round(s.ExpectedWrong) == 1:
		return fmt.Sprintf("About one of %s labels is wrong (between %s and %s).", of, humanize.About(low), humanize.About(high))
	}
	return fmt.Sprintf("About %s of %s labels are wrong (between %s and %s).", humanize.About(s.ExpectedWrong), of, humanize.About(low), humanize.About(high))
}

// Chance is a probability that a label is wrong, in words.
func Chance(p float64) string {
	switch of := math.Round(100 * p); {
	case p >= .995:
		return "More than 99 of 100 labels like this one are wrong."
	case p < .005:
		return "Fewer than 1 of 100 labels like this one is wrong."
	case of == 1:
		return "About 1 of 100 labels like this one is wrong."
	default:
		return fmt.Sprintf("About %.0f of 100 labels like this one are wrong.", of)
	}
}

// percent writes a share of 1 with as many digits as matter: 88, 12.5, 0.04.
func percent(share float64) string {
	v := 100 * share
	digits := 0
	switch {
	case v == 0:
	case v < .1:
		digits = 2
	case v < 20:
		digits = 1
	}
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', digits, 64), ".0")
}

// chance writes a probability that is not certain.
func chance(p float64) string {
	if p > .999 {
		return "over 99.9 %"
	}
	return percent(p) + " %"
}

// sentence begins a text with a capital and ends it with a point.
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
