// Package table holds the entries of one kind of part (losses, networks, data sets) in
// a list that the rest of the program reads by name:
//
//	var Losses = table.Of[LossEntry]{crossEntropyEntry, forwardEntry}
//
//	Losses.Names()                        // for help and errors
//	Losses.Named("forward").T == KnownT   // in place of a comparison of names
package table

import (
	"fmt"
	"slices"
)

// Of is a table, in the order in which help and errors list its entries. String returns
// the name of an entry.
type Of[E fmt.Stringer] []E

// Names returns the names of all entries.
func (t Of[E]) Names() []string { return t.Which(func(E) bool { return true }) }

// Which returns the names of the entries for which is holds.
func (t Of[E]) Which(is func(E) bool) []string {
	var names []string
	for _, e := range t {
		if is(e) {
			names = append(names, e.String())
		}
	}
	return names
}

// Named returns the entry with the name, the zero entry if there is none.
func (t Of[E]) Named(name string) (e E) {
	if i := t.index(name); i >= 0 {
		return t[i]
	}
	return e
}

// Has reports whether there is an entry with the name.
func (t Of[E]) Has(name string) bool { return t.index(name) >= 0 }

func (t Of[E]) index(name string) int {
	return slices.IndexFunc(t, func(e E) bool { return e.String() == name })
}
