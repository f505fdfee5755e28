package own

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"golang.org/x/text/unicode/norm"
)

// naming splits an entry of Source.ClassNames, such as 0=hate, into a label and a name at the first "=".
func naming(entry string) (label, name string) {
	label, name, _ = strings.Cut(entry, "=")
	return className(label), norm.NFC.String(strings.TrimSpace(name))
}

// CheckClassNames returns an error if an entry of ClassNames is not NUMBER=NAME, or if two entries share
// a number or a name. A name must not be a number, so that every label is clearly one or the other.
func (s Source) CheckClassNames() error {
	labels, names := map[string]string{}, map[string]string{}
	for _, entry := range s.ClassNames {
		label, name := naming(entry)
		_, notLabel := strconv.Atoi(label)
		_, notName := strconv.Atoi(className(name))
		switch {
		case !strings.Contains(entry, "=") || label == "" || name == "":
			return fmt.Errorf("%q: want NUMBER=NAME, such as 0=hate", entry)
		case notLabel != nil:
			return fmt.Errorf("%q: only whole numbers can get names, and the class %q has a name already", entry, label)
		case notName == nil:
			return fmt.Errorf("%q: the name of a class cannot be a number", entry)
		case labels[label] != "":
			return fmt.Errorf("the class %s has two names, %q and %q", label, labels[label], name)
		case names[name] != "":
			return fmt.Errorf("the classes %s and %s have the same name %q", names[name], label, name)
		}
		labels[label], names[name] = name, label
	}
	return nil
}

// Naming is the names of classes by number.
type Naming map[string]string

// Naming parses ClassNames. Call it once before a loop over labels.
func (s Source) Naming() Naming {
	names := make(Naming, len(s.ClassNames))
	for _, entry := range s.ClassNames {
		label, name := naming(entry)
		names[label] = name
	}
	return names
}

// ClassName returns the name of a label's class, or the label if its class has no name.
func (n Naming) ClassName(label string) string { return cmp.Or(n[label], label) }

// numbers replaces names of classes by their numbers.
func (s Source) numbers(classes []string) []string {
	if len(s.ClassNames) == 0 {
		return classes
	}
	labels := map[string]string{}
	for label, name := range s.Naming() {
		labels[name] = label
	}
	out := slices.Clone(classes)
	for k, text := range out {
		out[k] = cmp.Or(labels[text], text)
	}
	return out
}

// nameClasses gives the classes their names.
func (s Source) nameClasses(d *dataset.Dataset) error {
	for _, entry := range s.ClassNames {
		if label, name := naming(entry); !slices.Contains(d.Classes, label) {
			return fmt.Errorf("%w %s (%q): the labels are %s", errNoSuchClass, label, name, quoted(d.Classes))
		}
	}
	names := s.Naming()
	for k, label := range d.Classes {
		d.Classes[k] = names.ClassName(label)
	}
	return nil
}

var errNoSuchClass = errors.New("--class-names names a class without training examples,")
