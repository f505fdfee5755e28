package pickle

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
)

// The objects of a pickle beside int, string, bool and nil.
type (
	tuple []any
	list  struct{ items []any }
	dict  struct{ keys, values []any }
	mark  struct{}
	class string // one of classes
)

// classes are what a state dict may name of Python.
var classes = []string{"collections OrderedDict", rebuild, "torch FloatStorage", "torch LongStorage"}

const rebuild = "torch._utils _rebuild_tensor_v2"

// machine runs the instructions of one pickle, of those that state dicts consist of.
type machine struct {
	r        *bufio.Reader
	storages map[string]*storage
	stack    []any
	memo     map[int]any
}

// Instructions, by their names in Python's pickletools.
const (
	opProto, opStop, opMark                             = 0x80, '.', '('
	opNone, opTrue, opFalse                             = 'N', 0x88, 0x89
	opBinInt, opBinInt1, opBinInt2, opLong1             = 'J', 'K', 'M', 0x8a
	opUnicode                                           = 'X'
	opEmptyTuple, opTuple, opTuple1, opTuple2, opTuple3 = ')', 't', 0x85, 0x86, 0x87
	opEmptyList, opAppend, opAppends                    = ']', 'a', 'e'
	opEmptyDict, opSetItem, opSetItems                  = '}', 's', 'u'
	opPut, opLongPut, opGet, opLongGet                  = 'q', 'r', 'h', 'j'
	opGlobal, opReduce, opBuild, opPersistent           = 'c', 'R', 'b', 'Q'
)

var errStack = errors.New("an instruction without its arguments")

// run runs to the end of the pickle and returns its object.
func (m *machine) run() (any, error) {
	m.memo = map[int]any{}
	for range maxObjects {
		op, err := m.r.ReadByte()
		if err != nil {
			return nil, err
		}
		if op == opStop {
			return m.pop()
		}
		if err := m.step(op); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("more instructions than a state dict has")
}

func (m *machine) step(op byte) (err error) {
	switch op {
	case opProto:
		v, err := m.number(1)
		if err == nil && v != 2 {
			err = fmt.Errorf("protocol %d of pickle, want 2", v)
		}
		return err
	case opMark:
		m.push(mark{})
	case opNone:
		m.push(nil)
	case opTrue, opFalse:
		m.push(op == opTrue)
	case opBinInt, opBinInt1, opBinInt2, opLong1, opUnicode:
		return m.scalar(op)
	case opEmptyTuple:
		m.push(tuple{})
	case opEmptyList:
		m.push(&list{})
	case opEmptyDict:
		m.push(&dict{})
	case opTuple, opTuple1, opTuple2, opTuple3, opAppend, opAppends, opSetItem, opSetItems:
		return m.collect(op)
	case opPut, opLongPut, opGet, opLongGet:
		return m.remember(op)
	case opGlobal:
		return m.global()
	case opReduce:
		return m.reduce()
	case opBuild: // the attributes of a dictionary: torch's _metadata
		if _, err = m.pop(); err == nil {
			_, err = top[*dict](m)
		}
		return err
	case opPersistent:
		return m.persistent()
	default:
		return fmt.Errorf("instruction %#02x, which no state dict needs", op)
	}
	return nil
}

func (m *machine) push(v any) { m.stack = append(m.stack, v) }

func (m *machine) pop() (any, error) {
	if len(m.stack) == 0 {
		return nil, errStack
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	if _, is := v.(mark); is {
		return nil, errStack
	}
	return v, nil
}

// top returns the object on top of the stack, which has to be of a type.
func top[T any](m *machine) (v T, err error) {
	if len(m.stack) > 0 {
		if v, ok := m.stack[len(m.stack)-1].(T); ok {
			return v, nil
		}
	}
	return v, errStack
}

// last takes n objects, or those above the mark where n is negative.
func (m *machine) last(n int) ([]any, error) {
	from := len(m.stack) - n
	if n < 0 {
		for from = len(m.stack) - 1; from >= 0; from-- {
			if _, is := m.stack[from].(mark); is {
				break
			}
		}
		from++
	}
	if from < 0 || n < 0 && from == 0 {
		return nil, errStack
	}
	items := slices.Clone(m.stack[from:])
	if slices.Contains(items, any(mark{})) && n >= 0 {
		return nil, errStack
	}
	if n < 0 {
		from--
	}
	m.stack = m.stack[:from]
	return items, nil
}

// number reads n bytes, the least significant first.
func (m *machine) number(n int) (int, error) {
	var raw [8]byte
	if _, err := io.ReadFull(m.r, raw[:n]); err != nil {
		return 0, err
	}
	return int(binary.LittleEndian.Uint64(raw[:])), nil
}

func (m *machine) scalar(op byte) error {
	width := map[byte]int{opBinInt: 4, opBinInt1: 1, opBinInt2: 2, opLong1: 1, opUnicode: 4}[op]
	n, err := m.number(width)
	if err != nil {
		return err
	}
	switch op {
	case opBinInt:
		m.push(int(int32(n)))
	case opLong1, opUnicode:
		if n > maxText {
			return fmt.Errorf("a text of %d bytes", n)
		}
		raw := make([]byte, n)
		if _, err := io.ReadFull(m.r, raw); err != nil {
			return err
		}
		if op == opUnicode {
			m.push(string(raw))
			return nil
		}
		if n > 0 && raw[n-1] >= 0x80 {
			return errors.New("a negative number of many bytes")
		}
		slices.Reverse(raw)
		m.push(new(big.Int).SetBytes(raw).String()) // only the magic number is that long
	default:
		m.push(n)
	}
	return nil
}

func (m *machine) collect(op byte) error {
	n := map[byte]int{opTuple: -1, opTuple1: 1, opTuple2: 2, opTuple3: 3, opAppend: 1, opAppends: -1, opSetItem: 2, opSetItems: -1}[op]
	items, err := m.last(n)
	if err != nil {
		return err
	}
	switch op {
	case opAppend, opAppends:
		to, err := top[*list](m)
		if err == nil {
			to.items = append(to.items, items...)
		}
		return err
	case opSetItem, opSetItems:
		to, err := top[*dict](m)
		if err != nil || len(items)%2 != 0 {
			return errStack
		}
		for k := 0; k < len(items); k += 2 {
			to.keys, to.values = append(to.keys, items[k]), append(to.values, items[k+1])
		}
		return nil
	}
	m.push(tuple(items))
	return nil
}

func (m *machine) remember(op byte) error {
	width := 1
	if op == opLongPut || op == opLongGet {
		width = 4
	}
	n, err := m.number(width)
	if err != nil {
		return err
	}
	if op == opPut || op == opLongPut {
		if len(m.stack) == 0 {
			return errStack
		}
		m.memo[n] = m.stack[len(m.stack)-1]
		return nil
	}
	v, ok := m.memo[n]
	if !ok {
		return fmt.Errorf("object %d is used before it is there", n)
	}
	m.push(v)
	return nil
}

func (m *machine) global() error {
	var name [2]string
	for k := range name {
		line, err := m.r.ReadSlice('\n') // at most a buffer
		if err != nil {
			return err
		}
		name[k] = strings.TrimSuffix(string(line), "\n")
	}
	c := strings.Join(name[:], " ")
	if !slices.Contains(classes, c) {
		return fmt.Errorf("it names %.80q of Python, and tensors need no more than %q: do not open it with Python either", c, classes)
	}
	m.push(class(c))
	return nil
}

func (m *machine) reduce() error {
	items, err := m.last(2)
	if err != nil {
		return err
	}
	f, isClass := items[0].(class)
	args, isTuple := items[1].(tuple)
	switch {
	case !isClass || !isTuple:
		return errStack
	case f == class(classes[0]) && len(args) == 0:
		m.push(&dict{})
		return nil
	case f == rebuild:
		v, err := newView(args)
		m.push(v)
		return err
	}
	return fmt.Errorf("a call of %s with %d arguments", f, len(args))
}

// persistent makes the storage that a tuple names: "storage", its class, key, device and
// size, and a view, which is None.
func (m *machine) persistent() error {
	id, err := m.pop()
	if err != nil {
		return err
	}
	t, _ := id.(tuple)
	if len(t) < 5 || t[0] != "storage" || len(t) > 5 && t[5] != nil {
		return fmt.Errorf("a persistent object %v", id)
	}
	kind, _ := t[1].(class)
	key, isText := t[2].(string)
	size, isNumber := t[4].(int)
	name, isStorage := strings.CutPrefix(string(kind), "torch ")
	if !isText || !isNumber || !isStorage || size < 0 || size > maxElements {
		return fmt.Errorf("a storage %v", id)
	}
	s := m.storages[key]
	if s == nil {
		s = &storage{kind: name, size: size}
		m.storages[key] = s
	}
	if s.kind != name || s.size != size {
		return fmt.Errorf("storage %s is described twice", key)
	}
	m.push(s)
	return nil
}
