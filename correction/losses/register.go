package losses

import (
	"fmt"
	"regexp"
	"slices"
)

// partName matches the name of a loss. Names appear in configurations, before a blank in the names of rows, and in
// lists with commas.
var partName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Register adds a loss of another module to [All], so that configurations, the command line, plans and reports treat
// it as built in. Call it at the start of a program, from one goroutine, before anything reads the table.
//
// It is an error if the name is taken or is not made of lower-case letters, digits and hyphens, if About or New is
// missing, if FormOf is not in the table or is missing for a loss with T-hat, if a setting is not one of
// [SettingKeys], or if Networks is not 0, 1 or 2.
func Register(e Entry) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("correction: register the loss %q: "+format, append([]any{e.Name}, args...)...)
	}
	switch {
	case !partName.MatchString(e.Name):
		return wrong("use lower-case letters, digits and hyphens in its name, as in my-loss")
	case All.Has(e.Name):
		return wrong("the name is taken: choose another")
	case e.New == nil:
		return wrong("set New, which makes the loss")
	case e.About == "":
		return wrong("set About, its description in one line")
	case e.T == EstimatedT && e.FormOf == "":
		return wrong("it uses T-hat: set FormOf to the loss that uses T")
	case e.FormOf != "" && !All.Has(e.FormOf):
		return wrong("it is a form of %q, which is not registered: register that first", e.FormOf)
	case e.Networks < 0 || e.Networks > 2:
		return wrong("it trains %d networks: use 1 or 2", e.Networks)
	}
	for _, s := range e.Settings {
		if !slices.Contains(SettingKeys(), s.Key) {
			return wrong("its setting %q is unknown: use one of %v", s.Key, SettingKeys())
		}
		if s.Default != 0 && !s.Has(s.Default) {
			return wrong("the default of its setting %s is %v: choose one in %v", s.Key, s.Default, s.Range)
		}
	}
	All = append(All, e)
	return nil
}
