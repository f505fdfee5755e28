// Package table lists the parts of one kind (losses, networks, data sets), which the rest of the program looks up by
// name:
//
//	var Losses = table.Of[LossEntry]{crossEntropyEntry, forwardEntry}
//
//	Losses.Names()                        // for help and errors
//	Losses.Named("forward").T == KnownT   // instead of comparing names
package table

import (
	"fmt"
	"slices"
)

// Of is a table in the order that help and errors use. The String method of an entry returns its name.
type Of[E fmt.Stringer] []E

// Names returns the names of all entries.
func (t Of[E]) Names() []string { return t.Which(func(E) bool { return true }) }

// Which returns the names of the entries that satisfy is.
func (t Of[E]) Which(is func(E) bool) []string {
	var names []string
	for _, e := range t {
		if is(e) {
			names = append(names, e.String())
		}
	}
	return names
}

// Named returns the entry with the name, or the zero entry.
func (t Of[E]) Named(name string) (e E) {
	if i := t.index(name); i >= 0 {
		return t[i]
	}
	return e
}

// Has reports whether an entry has the name.
func (t Of[E]) Has(name string) bool { return t.index(name) >= 0 }

func (t Of[E]) index(name string) int {
	return slices.IndexFunc(t, func(e E) bool { return e.String() == name })
}
