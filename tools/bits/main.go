// Command bits looks for operations whose bits differ between processes, threads or places in
// memory, on one machine:
//
//	make bits                                       200 processes, results/bits/bits.csv
//	make bits ARGS='-processes 5000 -state bits.json'     can be interrupted and continued
//	make bits ARGS='-shim OLD/liblosscorr_shim.so'  another build of the shim
//
// Each process is new: its two threads meet before the first call of each operation, so that
// what a library decides at its first call is decided on both at once, and then compute it
// again with operands 4 to 60 bytes away from where the allocator puts them. All outputs are
// hashed. Equal hashes do not prove that no difference can be: a race may show once in
// thousands of processes.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/tool"
)

// asked is set in the processes that compute.
const asked = "LOSSCORR_BITS_COMPUTE"

func main() {
	if os.Getenv(asked) != "" {
		os.Exit(tool.Main("bits", os.Stdout, compute))
	}
	os.Exit(tool.Main("bits", os.Stdout, run))
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bits", flag.ContinueOnError)
	processes := flags.Int("processes", 200, "how many, those of -state included")
	path := flags.String("out", "", "write the counts there, as CSV")
	state := flags.String("state", "", "continue the counts in this file, of the same shim and machine, and keep them there")
	shim := flags.String("shim", os.Getenv("LOSSCORR_SHIM"), "the shim to use")
	if err := flags.Parse(args); err != nil {
		return err
	}
	seen, err := read(*state)
	if err != nil {
		return err
	}
	for seen.Processes < *processes {
		hashes, err := ask(ctx, *shim)
		if err != nil {
			return err
		}
		seen.add(hashes)
		if seen.Processes%20 == 0 || seen.Processes == *processes {
			if err := seen.keep(*state); err != nil {
				return err
			}
		}
	}
	var text bytes.Buffer
	differ := write(&text, seen)
	if _, err := out.Write(text.Bytes()); err != nil {
		return err
	}
	if *path != "" {
		if err := os.WriteFile(*path, text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if len(differ) > 0 {
		return fmt.Errorf("bits differ: %v", differ)
	}
	return nil
}

// hash is that of one output, of operands so many bytes away from an address of the
// allocator's.
type hash struct {
	Operation string
	Shift     int
	Sum       string
}

// counts are those of all processes so far.
type counts struct {
	Processes int
	Outputs   map[string]outputs // by operation
}

// outputs counts those of one operation by their hashes.
type outputs struct{ Aligned, Shifted map[string]int }

func (c *counts) add(hashes []hash) {
	c.Processes++
	for _, h := range hashes {
		if c.Outputs[h.Operation].Aligned == nil {
			c.Outputs[h.Operation] = outputs{map[string]int{}, map[string]int{}}
		}
		if o := c.Outputs[h.Operation]; h.Shift == 0 {
			o.Aligned[h.Sum]++
		} else {
			o.Shifted[h.Sum]++
		}
	}
}

// read returns the counts of a file; none where it is not named or not there.
func read(path string) (*counts, error) {
	c := &counts{Outputs: map[string]outputs{}}
	text, err := os.ReadFile(path)
	if path == "" || errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		err = json.Unmarshal(text, c)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// keep writes the counts to a file, if one is named.
func (c *counts) keep(path string) error {
	if path == "" {
		return nil
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return files.Write(path, text, 0o644)
}

// ask has a new process compute.
func ask(ctx context.Context, shim string) ([]hash, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child := exec.CommandContext(ctx, self)
	child.Env = append(os.Environ(), asked+"=1", "LOSSCORR_SHIM="+shim)
	child.Stderr = os.Stderr
	answer, err := child.Output()
	if err != nil {
		return nil, fmt.Errorf("a process that computes: %w", err)
	}
	var hashes []hash
	return hashes, json.Unmarshal(answer, &hashes)
}

// write writes a line for each operation and returns those with more than one output of
// operands where the allocator puts them.
func write(out io.Writer, seen *counts) (differ []string) {
	w := csv.NewWriter(out)
	_ = w.Write([]string{"operation", "processes", "calls", "different_outputs", "calls_shifted", "different_outputs_shifted"})
	for _, o := range operations {
		counts := seen.Outputs[o.name]
		if len(counts.Aligned) > 1 {
			differ = append(differ, o.name)
		}
		line := []string{o.name, strconv.Itoa(seen.Processes)}
		for _, c := range []map[string]int{counts.Aligned, counts.Shifted} {
			calls := 0
			for _, n := range c {
				calls += n
			}
			line = append(line, strconv.Itoa(calls), strconv.Itoa(len(c)))
		}
		_ = w.Write(line)
	}
	w.Flush()
	return differ
}

func sum(numbers []float32) string {
	h := sha256.New()
	_ = binary.Write(h, binary.LittleEndian, numbers)
	return fmt.Sprintf("%x", h.Sum(nil))
}
