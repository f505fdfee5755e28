package examples

import (
	"compress/gzip"
	"encoding/binary"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/torch/torchtest"
)

func guide(t *testing.T) (root, text string) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "docs", "gotorch.md"))
	if err != nil {
		t.Fatal(err)
	}
	return root, string(data)
}

// The programs that docs/gotorch.md names do what they say.
func TestGotorchPrograms(t *testing.T) {
	torchtest.Open(t)
	root, text := guide(t)
	dir := t.TempDir()
	fewDigits(t, filepath.Join(root, "data", "mnist"), filepath.Join(dir, "mnist"))
	t.Setenv("LOSSCORR_DATA", dir)
	t.Setenv("OMP_NUM_THREADS", "1") // other tests run beside this one
	checks := []struct {
		name  string
		args  []string
		check func(t *testing.T, out string)
	}{
		{"sgd", nil, func(t *testing.T, out string) {
			var losses []float64
			for line := range strings.Lines(out) {
				loss, err := strconv.ParseFloat(strings.Fields(line)[1], 64)
				if err != nil {
					t.Fatal(err)
				}
				losses = append(losses, loss)
			}
			if len(losses) != 5 || !(losses[4] < losses[0]) || losses[4] <= 0 {
				t.Errorf("the loss does not fall:\n%s", out)
			}
		}},
		{"mnist", []string{"-epochs", "1", "-save", filepath.Join(dir, "mnist.safetensors")}, func(t *testing.T, out string) {
			found := regexp.MustCompile(`^epoch 0: ([\d.]+) % of the test images\n$`).FindStringSubmatch(out)
			if found == nil {
				t.Fatalf("printed %q", out)
			}
			if accuracy, err := strconv.ParseFloat(found[1], 64); err != nil || accuracy < 50 || accuracy > 97 {
				t.Errorf("accuracy %s after 94 steps, want some 70", found[1])
			}
			if _, err := os.Stat(filepath.Join(dir, "mnist.safetensors")); err != nil {
				t.Error(err)
			}
		}},
		{"dcgan", nil, func(t *testing.T, out string) {
			if !regexp.MustCompile(`^step: loss_D \d\.\d{3}, loss_G \d\.\d{3}\n$`).MatchString(out) {
				t.Errorf("printed %q", out)
			}
		}},
	}
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(text, "`"+c.name+"`") {
				t.Errorf("the guide does not name %s", c.name)
			}
			exe := filepath.Join(dir, c.name+".exe")
			run(t, root, "go", "build", "-o", exe, "./torch/examples/gotorch/"+c.name)
			c.check(t, run(t, root, exe, c.args...))
		})
	}
}

// fewDigits copies the first 6000 and 1000 digits of the data set in one folder to
// another.
func fewDigits(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, layout := range map[string]struct{ header, size, count int }{
		"train-images-idx3-ubyte": {16, 784, 6000}, "train-labels-idx1-ubyte": {8, 1, 6000},
		"t10k-images-idx3-ubyte": {16, 784, 1000}, "t10k-labels-idx1-ubyte": {8, 1, 1000},
	} {
		file, err := os.Open(filepath.Join(from, name+".gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		unpacked, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, layout.header+layout.size*layout.count)
		if _, err := io.ReadFull(unpacked, data); err != nil {
			t.Fatal(err)
		}
		binary.BigEndian.PutUint32(data[4:], uint32(layout.count))
		write(t, filepath.Join(to, name), data)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
	return string(out)
}

// Every name in the last column of the tables of docs/gotorch.md is one that there is.
func TestGotorchGuideNames(t *testing.T) {
	root, text := guide(t)
	known := map[string]bool{}
	for _, folder := range []string{"torch", "torch/nn", "torch/optim", "dataset", "dataset/own", "dataset/published"} {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					known[n.Name.Name] = true
				case *ast.TypeSpec:
					known[n.Name.Name] = true
				case *ast.ValueSpec:
					for _, name := range n.Names {
						known[name.Name] = true
					}
				case *ast.Field:
					for _, name := range n.Names {
						known[name.Name] = true
					}
				}
				return true
			})
		}
	}
	code, name := regexp.MustCompile("`[^`]+`"), regexp.MustCompile(`\b[A-Z]\w*`)
	checked := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for _, span := range code.FindAllString(cells[len(cells)-1], -1) {
			for _, word := range name.FindAllString(span, -1) {
				checked++
				if !known[word] {
					t.Errorf("%s: there is no %s", span, word)
				}
			}
		}
	}
	if checked < 60 {
		t.Errorf("only %d names checked", checked)
	}
}
