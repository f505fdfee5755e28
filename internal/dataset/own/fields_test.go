package own

import (
	"reflect"
	"strings"
	"testing"
)

// Each field of Source has one entry, which names it as in YAML and gives its value.
func TestFields(t *testing.T) {
	var s Source
	v := reflect.ValueOf(&s).Elem()
	keys := map[string]reflect.Value{}
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		keys[key] = v.Field(i).Addr()
	}
	flags := map[string]bool{"": true}
	for _, f := range Fields {
		var at any
		switch f.Kind {
		case List:
			at = f.List(&s)
		case Count:
			at = f.Number(&s)
		default:
			at = f.Text(&s)
		}
		want, ok := keys[f.Key]
		if !ok || want.Pointer() != reflect.ValueOf(at).Pointer() {
			t.Errorf("the entry %q is not of the field with this key", f.Key)
		}
		delete(keys, f.Key)
		if flags[f.Flag] && f.Flag != "" || f.Flag != "" && f.Help == "" {
			t.Errorf("%q: flag %q is another's, or has no help", f.Key, f.Flag)
		}
		flags[f.Flag] = true
	}
	for key := range keys {
		t.Errorf("source.%s has no entry in Fields", key)
	}
}
