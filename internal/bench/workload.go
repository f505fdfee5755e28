package bench

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/torch"
)

// batch is the number of examples per step, here and in the Python files.
const batch = 128

// workload is a training step measured here and in PyTorch.
type workload struct {
	name, title string
	inSteps     bool // whether Steps measures it
	steps       int  // per round on the CPU; ten times as many on a GPU
	rounds      int
	make        func(b *bench) (*network, error) // errLeftOut if this machine cannot
	script      string                           // PyTorch's side, a file of this folder
	variants    [][]string                       // its arguments; the fastest counts
}

// compiled is a compiled variant of a workload, which Run also measures if the Python can
// compile it. Compiling takes a minute.
type compiled struct {
	workload, name, script string
	arguments              []string
}

var allCompiled = []compiled{
	{"mnist", "torch.compile", mnistScript, []string{"compile"}},
	{"mnist", "JAX (jit, scan)", mnistJAXScript, nil},
	{"resnet32", "torch.compile", "resnet32_step.py", []string{"channels_last", "compile"}},
}

// workloads lists the workloads. To add one, write a constructor, a Python file and a line here.
var workloads = []workload{
	{"mnist", "MNIST step", true, 100, 15, newMNIST(torch.Float32), mnistScript, [][]string{nil}},
	{"mnist-bf16", "MNIST step in bfloat16", false, 100, 15, newMNIST(torch.BFloat16), mnistScript,
		[][]string{{"bfloat16"}}},
	{"embedding-channels", "embedding step, dropout of channels", false, 20, 9, newEmbedding("channels"),
		"embedding_step.py", [][]string{{"channels"}}},
	{"embedding-elements", "embedding step, dropout of elements", true, 20, 9, newEmbedding("elements"),
		"embedding_step.py", [][]string{{"elements"}}},
	{"embedding-words", "embedding step, dropout of words", false, 20, 9, newEmbedding("words"), "embedding_step.py",
		[][]string{{"words"}}},
	{"resnet32", "ResNet-32 step", true, 2, 5, newResNet32(torch.Float32), "resnet32_step.py",
		[][]string{{"contiguous_format"}, {"channels_last"}}},
	{"resnet32-bf16", "ResNet-32 step in bfloat16", true, 2, 5, newResNet32(torch.BFloat16), "resnet32_step.py",
		[][]string{{"contiguous_format", "bfloat16"}, {"channels_last", "bfloat16"}}},
	{"lstm256", "LSTM step, embedding of 256", true, 1, 3, newLSTM(256, torch.Float32), "lstm_step.py",
		[][]string{{"256"}}},
	{"lstm512", "LSTM step, embedding of 512", false, 1, 3, newLSTM(512, torch.Float32), "lstm_step.py",
		[][]string{{"512"}}},
	{"lstm256-bf16", "LSTM step in bfloat16, embedding of 256", false, 1, 3, newLSTM(256, torch.BFloat16), "lstm_step.py",
		[][]string{{"256", "bfloat16"}}},
	{"exported-resnet18", "step of an exported ResNet-18", true, 1, 5, newExported("resnet18"), "exported_step.py",
		[][]string{{"resnet18"}, {"resnet18", "channels_last"}}},
	{"exported-vit", "step of an exported vision transformer", false, 2, 7, newExported("vit"), "exported_step.py",
		[][]string{{"vit"}}},
	{"exported-text", "step of an exported text transformer", false, 2, 7, newExported("text"), "exported_step.py",
		[][]string{{"text"}}},
}

//go:embed *.py
var scripts embed.FS

// errLeftOut marks a measurement that this machine cannot make.
var errLeftOut = errors.New("left out")

// workloadOf returns the workload with a name. Panics on an unknown name.
func workloadOf(name string) workload {
	for _, w := range workloads {
		if w.name == name {
			return w
		}
	}
	panic("bench: unknown workload " + name)
}

// stepsOn returns the number of steps per round on the device.
func (b *bench) stepsOn(w workload) int {
	if b.Device.IsCUDA() {
		return 10 * w.steps
	}
	return w.steps
}

// measure returns the median time of a step in seconds, of net and of each in beside,
// measured alternately. If one of beside fails, measure returns its error and the times of
// the others, unless b.ctx has ended.
func (b *bench) measure(w workload, net *network, beside []stepper) (ours float64, theirs []float64, err error) {
	const warmUp = 1
	steps := b.stepsOn(w)
	var mine []float64
	others := make([][]float64, len(beside))
	for round := range warmUp + b.times(w.rounds) {
		if b.ctx.Err() != nil {
			return 0, nil, context.Cause(b.ctx)
		}
		seconds := net.run(steps).Seconds()
		if round >= warmUp {
			mine = append(mine, seconds/float64(steps))
		}
		for i, run := range beside {
			if err != nil {
				break
			}
			if seconds, err = run(steps); err == nil && round >= warmUp {
				others[i] = append(others[i], seconds/float64(steps))
			}
		}
	}
	if err != nil {
		return median(mine), nil, err
	}
	for _, seconds := range others {
		theirs = append(theirs, median(seconds))
	}
	return median(mine), theirs, nil
}

// compare prints a line with the median time of a step, ours and each variant's.
func (b *bench) compare(w workload) (err error) {
	torch.Scope(func() {
		var net *network
		if net, err = w.make(b); errors.Is(err, errLeftOut) {
			fmt.Fprintf(b.out, "%s is %v\n", w.title, err)
			err = nil
			return
		}
		if err != nil {
			return
		}
		var beside []stepper
		if beside, err = b.beside(w); err != nil {
			return
		}
		more, names := b.besideCompiled(w)
		var ours float64
		var theirs []float64
		if ours, theirs, err = b.measure(w, net, append(beside, more...)); err == nil {
			b.print(w, ours, theirs, names)
		}
	})
	return err
}

// print prints the time of net, of PyTorch's variants, and of compiled variants by name.
func (b *bench) print(w workload, ours float64, theirs []float64, compiled []string) {
	line := fmt.Sprintf("%s, batch %d: losscorr %s", w.title, batch, duration(ours))
	eager := theirs[:len(theirs)-len(compiled)]
	for i, seconds := range eager {
		line += fmt.Sprintf(", %s %s", strings.Join(append([]string{"PyTorch"}, w.variants[i]...), " "), duration(seconds))
	}
	if len(eager) > 0 {
		line += fmt.Sprintf(", ratio %.3f", ours/slices.Min(eager))
	}
	for i, seconds := range theirs[len(eager):] {
		line += fmt.Sprintf(", %s %s, ratio %.3f", compiled[i], duration(seconds), ours/seconds)
	}
	of := ""
	if b.CPUTime {
		of = ", processor time"
	}
	fmt.Fprintf(b.out, "%s (median of %d rounds of %d steps%s)\n", line, b.times(w.rounds), b.stepsOn(w), of)
}

func duration(seconds float64) string {
	if seconds < .01 {
		return fmt.Sprintf("%.0f us", 1e6*seconds)
	}
	return fmt.Sprintf("%.0f ms", 1e3*seconds)
}
