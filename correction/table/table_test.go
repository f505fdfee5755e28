package table_test

import (
	"fmt"

	"github.com/losscorr/losscorr/correction/table"
)

type fruit struct {
	name  string
	round bool
}

func (f fruit) String() string { return f.name }

func Example() {
	fruits := table.Of[fruit]{{"pear", false}, {"plum", true}, {"cherry", true}}
	fmt.Println(fruits.Names(), fruits.Which(func(f fruit) bool { return f.round }))
	fmt.Println(fruits.Named("plum").round, fruits.Named("nut").round, fruits.Has("nut"))
	// Output:
	// [pear plum cherry] [plum cherry]
	// true false false
}
