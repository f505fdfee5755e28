package humanize

import (
	"fmt"
)

func ExampleRanges() {
	fmt.Println(Ranges([]uint64{0, 1, 2, 5, 7, 8}))
	// Output: 0-2,5,7-8
}
