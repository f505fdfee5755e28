package libtorch

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

//go:embed prerequisites.sh
var prerequisitesScript string

// Tool is a program that is needed to build losscorr or its shim.
type Tool struct {
	Name   string `json:"name"`
	Found  bool   `json:"found"`
	Detail string `json:"detail"` // path and version, or what is wrong
}

// SetupTools are needed to fetch libtorch and compile the shim; make needs go and
// make besides.
var SetupTools = []string{"cmake", "c++", "python3"}

// Prerequisites checks for the named tools: go, make, cmake, c++, python3. Advice
// is how to install what is missing, on several lines, or "".
func Prerequisites(ctx context.Context, names ...string) (tools []Tool, advice string, err error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-s", "--"}, names...)...)
	cmd.Stdin = strings.NewReader(prerequisitesScript)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return nil, "", fmt.Errorf("check the prerequisites: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	for line := range strings.Lines(stdout.String()) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) != 3 {
			return nil, "", fmt.Errorf("check the prerequisites: unexpected line %q", line)
		}
		tools = append(tools, Tool{Name: f[0], Found: f[1] == "ok", Detail: f[2]})
	}
	return tools, strings.TrimSpace(stderr.String()), nil
}
