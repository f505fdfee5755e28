package ranges

import (
	"fmt"
	"testing"
)

func ExampleFormat() {
	fmt.Println(Format([]uint64{0, 1, 2, 5, 7, 8}))
	// Output: 0-2,5,7-8
}

func TestFormatOfNothing(t *testing.T) {
	if got := Format[int](nil); got != "" {
		t.Errorf("%q, want nothing", got)
	}
}
