package config

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// trustedKey holds a path or a number.
const trustedKey = "trusted"

// decoder turns a tree of values into a Config. It records the origin of each leaf
// and every value that does not fit.
type decoder struct {
	ps      *problems
	origins map[string]Position
	bad     []string          // keys whose value could not be read
	dirs    map[string]string // folder of each file; the working directory for other sources
}

func (d *decoder) fail(at Position, key, format string, args ...any) {
	d.ps.add(at, key, format, args...)
	d.bad = append(d.bad, key)
}

func (d *decoder) structure(v *value, prefix string, out reflect.Value) {
	if v.kind != mapValue {
		d.fail(v.at, strings.TrimSuffix(prefix, "."), "has to be a map of settings (%s), not %s",
			strings.Join(keysOf(out.Type(), prefix), ", "), describe(v))
		return
	}
	index := fieldIndex(out.Type())
	for _, k := range v.keys {
		i, known := index[k]
		if !known {
			d.fail(v.keyAt[k], prefix+k, "unknown key%s", keyHint(prefix, k, out.Type()))
			continue
		}
		field := out.Field(i)
		if field.Kind() == reflect.Struct {
			d.structure(v.fields[k], prefix+k+".", field)
			continue
		}
		d.leaf(v.fields[k], prefix+k, field)
	}
}

func (d *decoder) leaf(v *value, key string, out reflect.Value) {
	d.origins[key] = v.at
	if out.Kind() == reflect.Slice {
		if v.kind != listValue {
			example := "[40, 80]"
			if out.Type().Elem().Kind() == reflect.String {
				example = "[width, height]"
			}
			d.fail(v.at, key, "has to be a list such as %s, not %s", example, describe(v))
			return
		}
		list := reflect.MakeSlice(out.Type(), len(v.items), len(v.items))
		for i, item := range v.items {
			d.scalar(item, key, list.Index(i))
		}
		out.Set(list)
		return
	}
	d.scalar(v, key, out)
	if _, err := strconv.Atoi(v.text); key == trustedKey && (err == nil || strings.HasPrefix(v.text, randomTrusted)) {
		return
	}
	if pathKeys[key] || key == "model" && Exported(out.String()) {
		out.SetString(absolute(d.dirs[v.at.Source], out.String()))
	}
}

func (d *decoder) scalar(v *value, key string, out reflect.Value) {
	if v.kind != scalarValue {
		d.fail(v.at, key, "has to be a single value, not %s", describe(v))
		return
	}
	switch out.Kind() {
	case reflect.String:
		if v.tag != "!!str" && (key != trustedKey || v.tag != "!!int") {
			d.fail(v.at, key, "%s; want text, in quotes if it looks like something else", describe(v))
			return
		}
		out.SetString(v.text)
	case reflect.Bool:
		if v.tag != "!!bool" {
			d.fail(v.at, key, "%s is neither true nor false", describe(v))
			return
		}
		out.SetBool(strings.EqualFold(v.text, "true"))
	case reflect.Int, reflect.Uint64:
		d.whole(v, key, out)
	case reflect.Float64:
		f, ok := number(v)
		if !ok {
			d.fail(v.at, key, "%s is not a number", describe(v))
			return
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			d.fail(v.at, key, "%s is not a finite number", v.text)
			return
		}
		out.SetFloat(f)
	}
}

// base is the base for strconv: 0 where a prefix such as 0x names it, else 10, so that 010 is ten.
func base(text string) int {
	if digits := strings.TrimLeft(text, "+-"); len(digits) > 1 && digits[0] == '0' &&
		strings.ContainsAny(digits[1:2], "xXoObB") {
		return 0
	}
	return 10
}

func (d *decoder) whole(v *value, key string, out reflect.Value) {
	if v.tag != "!!int" {
		limits := ""
		if out.Kind() == reflect.Uint64 {
			limits = " from 0 to 2^64-1"
		}
		d.fail(v.at, key, "%s is not a whole number%s", describe(v), limits)
		return
	}
	text := strings.ReplaceAll(v.text, "_", "")
	if out.Kind() == reflect.Uint64 {
		u, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), base(text), 64)
		if err != nil {
			d.fail(v.at, key, "%s is not a whole number from 0 to 2^64-1", v.text)
			return
		}
		out.SetUint(u)
		return
	}
	// 32 bits are enough for any count here, and the sum of two cannot overflow.
	i, err := strconv.ParseInt(text, base(text), 32)
	if err != nil {
		d.fail(v.at, key, "%s is out of range", v.text)
		return
	}
	out.SetInt(i)
}

// number reads an int or a float scalar.
func number(v *value) (float64, bool) {
	if v.kind != scalarValue || v.tag != "!!int" && v.tag != "!!float" {
		return 0, false
	}
	text := strings.ReplaceAll(v.text, "_", "")
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case ".nan":
		return math.NaN(), true
	case ".inf":
		return math.Inf(1), true
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return f, true
	}
	i, err := strconv.ParseInt(text, 0, 64)
	return float64(i), err == nil
}

func sameNumber(a, b *value) bool {
	x, okX := number(a)
	y, okY := number(b)
	return okX && okY && x == y
}

func describe(v *value) string {
	switch {
	case v.kind == mapValue:
		return "a map"
	case v.kind == listValue && len(v.items) == 0:
		return "an empty list"
	case v.kind == listValue:
		return "a list"
	case v.tag == "!!null":
		return "an empty value"
	case v.tag == "!!str":
		return strconv.Quote(v.text)
	}
	return v.text
}

func absolute(dir, path string) string {
	if path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

func fieldIndex(t reflect.Type) map[string]int {
	index := map[string]int{}
	for i := range t.NumField() {
		index[fieldName(t.Field(i))] = i
	}
	return index
}

func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// Keys lists every key of a configuration, dotted, in the order of Config.
func Keys() []string {
	keys := make([]string, len(Settings))
	for k, s := range Settings {
		keys[k] = s.Key
	}
	return keys
}

func keysOf(t reflect.Type, prefix string) []string {
	var keys []string
	for i := range t.NumField() {
		f := t.Field(i)
		name := prefix + fieldName(f)
		if f.Type.Kind() == reflect.Struct {
			keys = append(keys, keysOf(f.Type, name+".")...)
			continue
		}
		keys = append(keys, name)
	}
	return keys
}

// keyType returns the Go type behind a dotted key: a struct for a group such as
// noise, and nil for a key that does not exist.
func keyType(key string) reflect.Type {
	t := reflect.TypeFor[Config]()
	for part := range strings.SplitSeq(key, ".") {
		if t.Kind() != reflect.Struct {
			return nil
		}
		i, known := fieldIndex(t)[part]
		if !known {
			return nil
		}
		t = t.Field(i).Type
	}
	return t
}

// fileKeys are keys of a file that are no settings of a run.
var fileKeys = []string{"blocks", "extends", "grid"}

// abbreviations are names of settings in other programs.
var abbreviations = map[string]string{
	"lr": "learning_rate", "wd": "weight_decay", "bs": "batch_size", "batch": "batch_size", "num_epochs": "epochs",
	"n_epochs": "epochs",
	"arch":     "model", "network": "model", "data_dir": "data", "random_state": "seed",
}

// FullName returns the name of a setting that other programs abbreviate, such as learning_rate
// for lr, and any other name as it is.
func FullName(name string) string {
	if full, known := abbreviations[strings.ToLower(name)]; known {
		return full
	}
	return name
}

// dottedHint suggests a key for a dotted one that does not exist: a sibling, if its group
// is right.
func dottedHint(key string) string {
	i := strings.LastIndexByte(key, '.')
	t := reflect.TypeFor[Config]()
	if i > 0 {
		if t = keyType(key[:i]); t == nil || t.Kind() != reflect.Struct {
			return Suggest(key, Keys())
		}
	}
	prefix, last := key[:i+1], key[i+1:]
	hint := keyHint(prefix, last, t)
	for _, sibling := range keysOf(t, "") {
		if hint == fmt.Sprintf(", did you mean %q?", sibling) {
			return fmt.Sprintf(", did you mean %q?", prefix+sibling)
		}
	}
	return hint
}

// keyHint suggests a key for a misspelt one, from its siblings first, then from all. A key
// with dots exists perhaps: in a file, maps are nested.
func keyHint(prefix, key string, t reflect.Type) string {
	if group, last, dotted := strings.Cut(key, "."); dotted && keyType(prefix+key) != nil {
		return fmt.Sprintf(": a file nests maps, %s: {%s: ...}", group, strings.ReplaceAll(last, ".", ": {"))
	}
	if full, known := abbreviations[strings.ToLower(key)]; known {
		for _, candidate := range Keys() {
			if candidate == prefix+full || candidate == full || strings.HasSuffix(candidate, "."+full) {
				return fmt.Sprintf(", did you mean %q?", candidate)
			}
		}
	}
	var siblings []string
	for i := range t.NumField() {
		siblings = append(siblings, fieldName(t.Field(i)))
	}
	if prefix == "" {
		siblings = append(siblings, fileKeys...)
	}
	slices.Sort(siblings)
	if hint := Suggest(key, siblings); hint != "" {
		return hint
	}
	return Suggest(key, Keys())
}
