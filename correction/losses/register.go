package losses

import (
	"fmt"
	"regexp"
	"slices"
)

// partName is what the name of a loss looks like: it stands in configurations, in the names of
// rows before a blank, and in lists with commas.
var partName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Register adds a loss of another module to [All], so that configurations, the command
// line, plans and reports take it as one of the program's own. It is called at the start of a
// program, before anything reads the table, and not by two goroutines at a time.
//
// The error says what is wrong with the entry: a name that is taken or is not lower-case letters,
// digits and hyphens, a missing About or New, a loss FormOf that is not in the table or that an
// estimated loss lacks, a setting that is not one of [SettingKeys], or a number of networks other than
// 0, 1 and 2.
func Register(e Entry) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("correction: register the loss %q: "+format, append([]any{e.Name}, args...)...)
	}
	switch {
	case !partName.MatchString(e.Name):
		return wrong("its name has to be of lower-case letters, digits and hyphens, such as my-loss")
	case All.Has(e.Name):
		return wrong("there is one of this name: give it another")
	case e.New == nil:
		return wrong("it has no New, which makes the loss")
	case e.About == "":
		return wrong("it has no About, its description in one line")
	case e.T == EstimatedT && e.FormOf == "":
		return wrong("it uses T-hat and has no FormOf: name the loss of which it is the form with T-hat")
	case e.FormOf != "" && !All.Has(e.FormOf):
		return wrong("it is a form of %q, which is not in the table: register that first", e.FormOf)
	case e.Networks < 0 || e.Networks > 2:
		return wrong("it trains %d networks: 1 or 2 are possible", e.Networks)
	}
	for _, s := range e.Settings {
		if !slices.Contains(SettingKeys(), s.Key) {
			return wrong("its setting %q is not one of %v", s.Key, SettingKeys())
		}
		if s.Default != 0 && !s.Has(s.Default) {
			return wrong("the default of its setting %s, %v, is not in %v", s.Key, s.Default, s.Range)
		}
	}
	All = append(All, e)
	return nil
}
