package own

import (
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/internal/humanize"
	"golang.org/x/text/unicode/norm"
)

// name names the classes of the columns, and sets out.Classes to the classes of the labels, followed by those
// without labels.
func (p *probabilities) name(s Source, columns, classes []string, out *Probabilities) (err error) {
	names := s.Naming()
	named := func(list []string) []string {
		list = slices.Clone(list)
		for k, class := range list {
			list[k] = names.ClassName(norm.NFC.String(class))
		}
		return list
	}
	p.classes = named(p.classes)
	if out.Named, err = p.choice(named(columns), classes); err != nil {
		return err
	}
	labels := s.numbers(classes)
	if p.classes == nil && len(classes) < p.c && areColumns(labels, p.c) {
		p.classes = named(rowNames(p.c))
	}
	if err := p.differs(classes); err != nil {
		return err
	}
	out.Classes = classes
	without := slices.DeleteFunc(slices.Clone(p.classes), func(class string) bool {
		return slices.Contains(classes, class)
	})
	if len(without) == 0 {
		return nil
	}
	if out.Named && len(out.Findings) > 0 {
		return fmt.Errorf("%s: the columns %s are not classes of the labels, and rows do not add up to 1: remove columns "+
			"that are not the probability of a class", p.path, humanize.Quoted(without, 12))
	}
	out.Findings = append(out.Findings, fmt.Sprintf("columns of %s for classes without labels: %s", p.path,
		humanize.Quoted(without, 12)))
	out.Classes = named(classNames(slices.Concat(labels, s.numbers(without))))
	return nil
}

// differs returns an error if a class of the labels has no column.
func (p *probabilities) differs(classes []string) error {
	names, differs := "", len(classes) != p.c
	if p.classes != nil {
		names = " (" + quoted(p.classes) + ")"
		differs = slices.ContainsFunc(classes, func(class string) bool { return !slices.Contains(p.classes, class) })
	}
	if !differs {
		return nil
	}
	return fmt.Errorf("the labels have %d classes (%s), but %s has %d columns of classes%s: name the class of each "+
		"column, even if no label has it, with --classes a,b,... or a FILE.txt",
		len(classes), quoted(classes), p.path, p.c, names)
}

// choice gives the columns classes if the file does not. Names such as p0 and p1, which are not classes, do not
// count.
func (p *probabilities) choice(columns, classes []string) (named bool, err error) {
	named = p.classes != nil && (columns == nil || slices.ContainsFunc(p.classes, func(name string) bool {
		return slices.Contains(classes, name)
	}))
	switch {
	case columns == nil, named && slices.Equal(columns, p.classes):
	case named:
		return true, fmt.Errorf("the columns of %s are named %s, in another order than --classes: remove --classes",
			p.path, quoted(p.classes))
	case len(columns) != p.c:
		return false, fmt.Errorf("--classes names %d classes (%s), but %s has %d columns of classes", len(columns),
			quoted(columns), p.path, p.c)
	default:
		p.classes = columns
		for k, column := range columns {
			if slices.Contains(columns[:k], column) {
				return false, fmt.Errorf("--classes names %q twice", column)
			}
		}
	}
	return named, nil
}

// areColumns reports whether all labels are column numbers below n.
func areColumns(labels []string, n int) bool {
	all := rowNames(n)
	return !slices.ContainsFunc(labels, func(label string) bool { return !slices.Contains(all, label) })
}

// of returns the probabilities in the order of ids and classes.
func (p *probabilities) of(ids, classes []string) ([]float32, error) {
	order, err := (&labelTable{path: "the data", ids: ids, n: len(ids)}).match(&labelTable{path: p.path, ids: p.ids,
		n: len(p.p) / p.c})
	if err != nil {
		return nil, err
	}
	columns := make([]int, len(classes))
	for k, class := range classes {
		columns[k] = k
		if p.classes != nil {
			columns[k] = slices.Index(p.classes, class)
		}
	}
	picked := make([]float32, 0, len(p.p))
	for k := range ids {
		if order != nil {
			k = order[k]
		}
		for _, column := range columns {
			picked = append(picked, p.p[k*p.c+column])
		}
	}
	return picked, nil
}
