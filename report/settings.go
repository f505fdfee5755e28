package report

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/losscorr/losscorr/config"
)

// setting is a key of the configuration with its value, of type string, bool,
// int64, uint64 or float64; a list is a string.
type setting struct {
	key   string
	value any
	unset bool // as JSON leaves it out
}

// settings lists all settings of a configuration by dotted key, in the order of
// its declaration.
func settings(c config.Config) []setting {
	var list []setting
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		for k := range v.NumField() {
			name, options, _ := strings.Cut(v.Type().Field(k).Tag.Get("json"), ",")
			key, field := prefix+name, v.Field(k)
			unset := options == "omitempty" && field.IsZero()
			switch field.Kind() {
			case reflect.Struct:
				walk(key+".", field)
			case reflect.Int:
				list = append(list, setting{key, field.Int(), unset})
			case reflect.Slice:
				list = append(list, setting{key, fmt.Sprint(field.Interface()), unset})
			default:
				list = append(list, setting{key, field.Interface(), unset})
			}
		}
	}
	walk("", reflect.ValueOf(c))
	return list
}

// flat is settings as text, without those that are not set.
func flat(c config.Config) map[string]string {
	out := make(map[string]string)
	for _, s := range settings(c) {
		if !s.unset {
			out[s.key] = fmt.Sprint(s.value)
		}
	}
	return out
}
