// Opfuzz calls the operations of package torch with random operands: shapes with
// sizes of 0 and 1, odd and large, every dtype, transposed, sliced and expanded
// memory, freed tensors, arguments out of range.
//
//	go run ./tools/opfuzz -duration 10m
//
// Each call must end in a value or in a *torch.Error of a kind other than Internal,
// and must not leak tensors. Values and gradients must equal those of the same
// operation on contiguous copies or, if the shim has its own loops, those of the plain
// operations that the loops replace.
//
// The calls run in a child process. Whatever goes wrong, opfuzz prints the number of
// the case, and -case repeats it.
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/losscorr/losscorr/torch"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "opfuzz:", err)
		os.Exit(1)
	}
}

type settings struct {
	duration  time.Duration
	seed      uint64
	single    uint64
	only      string
	keepGoing bool
	progress  string // file with the number of the current case
}

func run(args []string) error {
	var s settings
	flags := flag.NewFlagSet("opfuzz", flag.ContinueOnError)
	flags.DurationVar(&s.duration, "duration", 30*time.Second, "how long")
	flags.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "seed of all cases")
	flags.Uint64Var(&s.single, "case", 0, "run only this case")
	flags.StringVar(&s.only, "op", "", "run only this operation")
	flags.BoolVar(&s.keepGoing, "keep-going", false, "continue after wrong results, up to 50")
	flags.StringVar(&s.progress, "progress", "", "internal: progress file of the child process")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if s.progress != "" || s.single != 0 {
		return calls(s)
	}
	dir, err := os.MkdirTemp("", "opfuzz")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	s.progress = filepath.Join(dir, "case")
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Printf("seed %d\n", s.seed)
	child := exec.Command(self, append(args, "-seed", fmt.Sprint(s.seed), "-progress", s.progress)...)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	child.Env = append(os.Environ(), withoutCaches...)
	if err := child.Run(); err != nil {
		last, readErr := os.ReadFile(s.progress)
		if readErr != nil || len(last) != 8 {
			return err
		}
		return fmt.Errorf("%w; the last case: -case %d", err, binary.LittleEndian.Uint64(last))
	}
	return nil
}

// withoutCaches turns off caches of libraries, since shapes never repeat here. Memory
// then grows only by leaks.
var withoutCaches = []string{
	// oneDNN's compiled shapes, and libtorch's cache of them
	"ONEDNN_PRIMITIVE_CACHE_CAPACITY=1", "LRU_CACHE_CAPACITY=1",
	"MKL_DISABLE_FAST_MM=1",                      // MKL's buffers, up to 200 MiB
	"GLIBC_TUNABLES=glibc.malloc.tcache_count=0", // each thread's freed blocks
}

// calls makes cases until the time is up.
func calls(s settings) error {
	if err := torch.Open(); err != nil {
		return err
	}
	torch.SetThreads(2)
	operations := table()
	if s.only != "" {
		operations = slices.DeleteFunc(operations, func(o operation) bool { return o.name != s.only })
		if len(operations) == 0 {
			return fmt.Errorf("unknown operation %q", s.only)
		}
	}
	if s.single != 0 {
		outcome, err := one(operations, s.single, true)
		fmt.Printf("case %d: %v\n", s.single, outcome)
		return err
	}
	progress, err := os.Create(s.progress)
	if err != nil {
		return err
	}
	defer progress.Close() //nolint:errcheck // nobody reads it after this process
	var failures []error
	var counts tally
	numbers := newSource(s.seed)
	started := time.Now()
	half := int64(0)
	for time.Since(started) < s.duration {
		number := numbers.Uint64() | 1
		var mark [8]byte
		binary.LittleEndian.PutUint64(mark[:], number)
		if _, err := progress.WriteAt(mark[:], 0); err != nil {
			return err
		}
		outcome, err := one(operations, number, false)
		counts.add(outcome)
		if err != nil {
			err = fmt.Errorf("case %d: %w", number, err)
			if failures = append(failures, err); !s.keepGoing || len(failures) == 50 {
				break
			}
			fmt.Fprintln(os.Stderr, err)
		}
		if half == 0 && time.Since(started) > s.duration/2 {
			half = held()
		}
	}
	fmt.Printf("%d calls in %.0f s: %s\n", counts.calls, time.Since(started).Seconds(), counts)
	if len(failures) > 0 {
		return fmt.Errorf("%d of %d calls are wrong; the first is: %w", len(failures), counts.calls, failures[0])
	}
	if n := torch.Live(); n != 0 {
		return fmt.Errorf("%d tensors leaked", n)
	}
	if end := held(); half != 0 {
		fmt.Printf("memory: %d KiB held at half time, %d KiB at the end\n", half>>10, end>>10)
		return level(half, end, s.duration)
	}
	return nil
}

// level returns an error if the process holds more memory at the end than at half time.
// It ignores runs of less than five minutes, in which libtorch still sets up.
func level(half, end int64, duration time.Duration) error {
	const room = 1 << 20
	if duration >= 5*time.Minute && end > half+room {
		return fmt.Errorf("memory grows, by %d KiB in the second half", (end-half)>>10)
	}
	return nil
}

// held returns the bytes allocated by C and C++, or 0 if the C library does not count
// them. Resident memory also grows with fragmentation, so it cannot be used.
func held() int64 {
	for range 3 { // Go's garbage collector frees streams
		runtime.GC()
		time.Sleep(20 * time.Millisecond)
	}
	return torch.DeviceMemory(torch.CPU).Allocated
}

// tally counts how calls ended.
type tally struct {
	calls, values, gradients int
	errors                   map[torch.Kind]int
}

func (t *tally) add(o outcome) {
	t.calls++
	if o.value {
		t.values++
	} else if o.typed {
		if t.errors == nil {
			t.errors = map[torch.Kind]int{}
		}
		t.errors[o.kind]++
	}
	if o.gradient {
		t.gradients++
	}
}

func (t tally) String() string {
	total := 0
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(t.errors)) {
		total += t.errors[kind]
		kinds = append(kinds, fmt.Sprintf("%d %v", t.errors[kind], kind))
	}
	return fmt.Sprintf("%d values (%d with gradients), %d typed errors (%s)", t.values, t.gradients, total,
		strings.Join(kinds, ", "))
}
