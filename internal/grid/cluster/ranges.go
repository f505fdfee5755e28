package cluster

import (
	"fmt"
	"strconv"
	"strings"
)

// maxRange bounds the ranges that are read; larger ones are damage.
const maxRange = 1 << 24

// ParseRanges parses the output of humanize.Ranges.
func ParseRanges(text string) ([]int, error) {
	var out []int
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		first, err := strconv.Atoi(low)
		if err != nil {
			return nil, fmt.Errorf("%q is not a list of numbers such as 0-9,12", text)
		}
		last, err := strconv.Atoi(high)
		if err != nil || last < first || last-first > maxRange {
			return nil, fmt.Errorf("%q is not a list of numbers such as 0-9,12", text)
		}
		for n := first; n <= last; n++ {
			out = append(out, n)
		}
	}
	return out, nil
}
