package humanize

import (
	"fmt"
	"testing"
)

func ExampleRanges() {
	fmt.Println(Ranges([]uint64{0, 1, 2, 5, 7, 8}))
	// Output: 0-2,5,7-8
}

func TestRangesOfNothing(t *testing.T) {
	if got := Ranges[int](nil); got != "" {
		t.Errorf("%q, want nothing", got)
	}
}
