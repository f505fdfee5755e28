package losses_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/expect"
)

// Every field of Settings has a key that At finds.
func TestSettingsHaveKeys(t *testing.T) {
	var s losses.Settings
	keys := losses.SettingKeys()
	fields := reflect.TypeOf(s)
	expect.Same(t, fields.NumField(), len(keys), "keys")
	for i := range keys {
		name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
		if !slices.Contains(keys, name) || s.At(name) != reflect.ValueOf(&s).Elem().Field(i).Addr().Interface() {
			t.Errorf("field %s has no key of its own", fields.Field(i).Name)
		}
	}
	if s.At("gamma") != nil {
		t.Error("there is a setting gamma")
	}
}
