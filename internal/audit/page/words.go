package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/humanize"
)

// Verdict is the result of an audit in a sentence. A number is said under its condition: that
// mistakes depend on the class alone, as the model has it.
func Verdict(s audit.Summary) string {
	n := float64(s.Examples)
	high := s.NoiseRateInterval.High * n
	of := humanize.Number(s.Examples)
	if s.Crowd != nil {
		return peopleVerdict(s)
	}
	if s.Random != nil {
		return CheckedVerdict(*s.Random, s.Examples)
	}
	const condition = "If mistakes depended on the class alone, "
	check := " People's mistakes are often more: check 50 labels at random to know."
	if s.Uneven != nil && s.Uneven.Noticed {
		check = fmt.Sprintf(" They seem not to: more labels go wrong at the harder examples, or the classes overlap there. Up to %s may be wrong; check 50 labels at random to know.", humanize.About(high))
	}
	switch {
	case s.Weak:
		return fmt.Sprintf("How many of %s labels are wrong cannot be said: the networks are too weak.", of)
	case s.Uneven != nil && s.Uneven.Noticed:
		return fmt.Sprintf("%sabout %s of %s labels would be wrong.%s", condition, humanize.About(s.ExpectedWrong), of, check)
	case s.Doubted:
		return fmt.Sprintf("The given labels do not show how many of %s are wrong. Check 50 at random to know.", of)
	case math.Round(high) < 1:
		return fmt.Sprintf("No label of %s seems to be wrong.", of)
	case math.Round(s.ExpectedWrong) < 1:
		return fmt.Sprintf("%shardly any label of %s would be wrong (at most %s).%s", condition, of, humanize.About(high), check)
	case math.Round(s.ExpectedWrong) == 1:
		return fmt.Sprintf("%sabout one of %s labels would be wrong.%s", condition, of, check)
	}
	return fmt.Sprintf("%sabout %s of %s labels would be wrong.%s", condition, humanize.About(s.ExpectedWrong), of, check)
}

// CheckedVerdict is the result of random checks in a sentence.
func CheckedVerdict(c audit.Checked, examples int) string {
	text := fmt.Sprintf("Checked by hand: %s of %s. About %s wrong labels, between %s and %s.",
		humanize.Number(c.Checked), humanize.Number(examples), humanize.About(c.Wrong), humanize.About(c.Interval.Low), humanize.About(c.Interval.High))
	if c.Misfit {
		text += fmt.Sprintf(" They do not depend on the class alone: then about %s would be wrong.", humanize.About(c.Model))
	}
	return text
}

// gain is the measured effect of checked labels, of results/audit/loop.csv.
const gain = "On labels made wrong, the average precision of the order (1 is perfect; checked labels count too) rose from .758 to .770 after 20 checked labels and .820 after 100 on 2,000 photos, and from .963 to .969 and .979 on losscorr demo."

// Chance is the model's probability that a label is wrong, in words.
func Chance(p float64) string { return "Wrong with a probability of " + chance(p) + ", by the model." }

// percent writes a share of 1 with as many digits as matter: 88, 12.5, 99.6, 0.04. No share
// below 1 is written as 100.
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
