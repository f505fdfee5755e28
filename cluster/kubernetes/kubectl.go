package kubernetes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Kubectl calls kubectl, with the cluster and the rights that it is set up for.
type Kubectl struct {
	Namespace string // empty: kubectl's
}

// ErrNoKubectl says that there is no kubectl on the PATH.
var ErrNoKubectl = errors.New("kubectl is not on the PATH")

// callTime bounds a call to a cluster that does not answer.
const callTime = time.Minute

// Create creates the objects of a manifest, and returns what kubectl says.
func (k Kubectl) Create(ctx context.Context, manifest []byte) (string, error) {
	return k.call(ctx, manifest, "create", "--filename=-")
}

// Active reports whether a Job is there and has not ended.
func (k Kubectl) Active(ctx context.Context, name string) (bool, error) {
	const ended = `{range .status.conditions[?(@.status=="True")]}{.type}{"\n"}{end}`
	out, err := k.call(ctx, nil, "get", "job", name, "--ignore-not-found", `--output=jsonpath={.metadata.name}{"\n"}`+ended)
	if err != nil {
		return false, err
	}
	lines := strings.Fields(out)
	if len(lines) == 0 {
		return false, nil
	}
	for _, condition := range lines[1:] {
		if condition == "Complete" || condition == "Failed" {
			return false, nil
		}
	}
	return true, nil
}

func (k Kubectl) call(ctx context.Context, input []byte, args ...string) (string, error) {
	if k.Namespace != "" {
		args = append(args, "--namespace="+k.Namespace)
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	var out, told bytes.Buffer
	cmd := exec.CommandContext(ctx, "kubectl", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &told
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", ErrNoKubectl
	}
	if err != nil {
		if text := strings.TrimSpace(told.String()); text != "" {
			return "", fmt.Errorf("kubectl %s: %s", args[0], strings.ReplaceAll(text, "\n", "; "))
		}
		return "", fmt.Errorf("kubectl %s: %w", args[0], err)
	}
	return strings.TrimSpace(out.String()), nil
}
