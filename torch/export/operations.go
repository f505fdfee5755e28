package export

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// operations.txt lists the operations of libtorch that a file may call: those in forward passes of networks. Most have
// the names of Python's functions. A name with a dot is one overload; other names include all overloads and the
// in-place operation.
//
// libtorch has thousands more. Some open files or take memory addresses, which a file of weights and a graph must not
// do.
//
//go:embed operations.txt
var operations string

var allowed = strings.Fields(operations)

// mayCall returns an error for operations outside the list. The last ones in the list draw from libtorch's global
// generator, which torch.NewProgram refuses with its own message.
func mayCall(namespace, op, overload string) error {
	if namespace == "aten" {
		for _, name := range []string{op, strings.TrimSuffix(op, "_")} {
			if slices.Contains(allowed, name) || slices.Contains(allowed, name+"."+overload) {
				return nil
			}
		}
	}
	return fmt.Errorf("%s.%s.%s is not among the operations that a file may call, which read and write only their own "+
		"tensors: write this part of the network with other operations", namespace, op, overload)
}
