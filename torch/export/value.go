package export

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
)

// memoryFormats and layouts map the schema's numbers to libtorch's.
var (
	memoryFormats = map[int]int{1: 0, 2: 2, 3: 3, 4: 1}
	layouts       = map[int]int{1: 1, 2: 2, 3: 4, 4: 5, 5: 6, 6: 3, 7: 0}
)

// value reads an argument.
func (t *translator) value(u union) (torch.GraphValue, error) {
	switch u.kind {
	case "as_none":
		return torch.GraphValue{}, nil
	case "as_tensor":
		name, _ := u.tensorName()
		return t.read(torch.GraphTensor, name)
	case "as_int":
		return scalar(u, whole)
	case "as_ints":
		return constants(u, whole)
	case "as_float":
		return scalar(u, real)
	case "as_floats":
		return constants(u, real)
	case "as_bool":
		return scalar(u, truth)
	case "as_bools":
		return constants(u, truth)
	case "as_string":
		return scalar(u, text)
	case "as_strings":
		return constants(u, text)
	case "as_scalar_type":
		return coded(u, scalarTypes)
	case "as_memory_format":
		return coded(u, memoryFormats)
	case "as_layout":
		return coded(u, layouts)
	case "as_device":
		return scalar(u, func(deviceMeta) torch.GraphValue { return t.here() })
	case "as_sym_int", "as_sym_bool", "as_sym_float", "as_optional_tensor":
		var inner union
		if err := u.into(&inner); err != nil {
			return torch.GraphValue{}, err
		}
		return t.inner(inner)
	case "as_tensors":
		return list(u, func(r reference) (torch.GraphValue, error) { return t.read(torch.GraphTensor, r.Name) })
	case "as_optional_tensors", "as_sym_ints", "as_sym_bools", "as_sym_floats":
		return list(u, t.inner)
	}
	return torch.GraphValue{}, fmt.Errorf("an argument of kind %s is not supported", u.kind)
}

// inner reads the content of a symbolic or optional argument.
func (t *translator) inner(u union) (torch.GraphValue, error) {
	if u.kind != "as_name" {
		return t.value(u)
	}
	var name string
	if err := u.into(&name); err != nil {
		return torch.GraphValue{}, err
	}
	return t.read(torch.GraphSymbol, name)
}

// read returns the result of an earlier node.
func (t *translator) read(kind torch.GraphKind, name string) (torch.GraphValue, error) {
	slot, known := t.slots[name]
	if !known {
		return torch.GraphValue{}, fmt.Errorf("damaged: nothing before it computes %q", name)
	}
	return torch.GraphValue{Kind: kind, Int: slot}, nil
}

// scalar reads a value in the file.
func scalar[T any](u union, of func(T) torch.GraphValue) (torch.GraphValue, error) {
	var v T
	err := u.into(&v)
	return of(v), err
}

func coded(u union, codes map[int]int) (torch.GraphValue, error) {
	var i int
	if err := u.into(&i); err != nil {
		return torch.GraphValue{}, err
	}
	code, known := codes[i]
	if !known {
		return torch.GraphValue{}, fmt.Errorf("%s %d is unknown", u.kind, i)
	}
	return whole(code), nil
}

func list[T any](u union, one func(T) (torch.GraphValue, error)) (torch.GraphValue, error) {
	var items []T
	if err := u.into(&items); err != nil {
		return torch.GraphValue{}, err
	}
	out := torch.GraphValue{Kind: torch.GraphList}
	for _, item := range items {
		v, err := one(item)
		if err != nil {
			return v, err
		}
		out.Items = append(out.Items, v)
	}
	return out, nil
}

// constants reads a list of values in the file.
func constants[T any](u union, one func(T) torch.GraphValue) (torch.GraphValue, error) {
	return list(u, func(item T) (torch.GraphValue, error) { return one(item), nil })
}

func whole(i int) torch.GraphValue { return torch.GraphValue{Kind: torch.GraphInt, Int: i} }
func real(f float) torch.GraphValue {
	return torch.GraphValue{Kind: torch.GraphFloat, Float: float64(f)}
}
func text(s string) torch.GraphValue { return torch.GraphValue{Kind: torch.GraphText, Text: s} }

func truth(b bool) torch.GraphValue {
	v := torch.GraphValue{Kind: torch.GraphBool}
	if b {
		v.Int = 1
	}
	return v
}
