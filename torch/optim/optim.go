package optim

import (
	"slices"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// Optimizer moves the parameters that it was made with. A parameter without a gradient keeps its value and state.
type Optimizer interface {
	// Step moves the parameters once.
	Step()
	// ZeroGrad removes their gradients.
	ZeroGrad()
	LearningRate() float64
	SetLearningRate(rate float64)
	// State lists the optimizer's tensors: "step", the number of steps so far, and for each parameter its name, a dot
	// and PyTorch's name of the state. The tensors are not copied.
	State() []nn.Parameter
	// LoadState copies such tensors back. If names or shapes differ, it changes nothing and returns an error that lists
	// every difference.
	LoadState(tensors map[string]torch.Tensor) error
}

// optimizer is the common part of all methods.
type optimizer struct {
	rate   float64
	groups []group
	kinds  []string // of buffers
	steps  int
	count  torch.Tensor // steps, for State
	move   func(o *optimizer, g group)

	// For parameters on a GPU (see onDevice), the count of steps and the rate of each group are on the GPU, so that a
	// recorded step counts and uses the current rate.
	done, one torch.Tensor
}

// Recordable reports whether a step of o can be part of a torch.Record: o has to be an optimizer of this package with
// parameters on a GPU, none of them Float64, because its count of steps and learning rate are then on the GPU.
func Recordable(o Optimizer) bool {
	own, ok := o.(*optimizer)
	return ok && own.done.Defined()
}

// group holds the parameters with the same weight decay.
type group struct {
	names   []string
	params  []torch.Tensor
	buffers [][]torch.Tensor // by kind, then by parameter
	decay   float64
	rate    torch.Tensor
}

// grouped separates the parameters with weight decay, which come first, from the others.
func grouped(params []nn.Parameter, decay float64) []group {
	decaying, rest := group{decay: decay}, group{}
	for _, p := range params {
		g := &rest
		if p.Role == nn.Weight && decay != 0 {
			g = &decaying
		}
		g.names = append(g.names, p.Name)
		g.params = append(g.params, p.Tensor)
	}
	return slices.DeleteFunc([]group{decaying, rest}, func(g group) bool { return len(g.params) == 0 })
}

// newOptimizer makes a buffer of zeros of each kind for each parameter.
func newOptimizer(params []nn.Parameter, rate, decay float64, kinds ...string) *optimizer {
	groups := grouped(nn.Trainable(params), decay)
	o := &optimizer{rate: rate, kinds: kinds, count: torch.Zeros(torch.Options{DType: torch.Int64})}
	for _, g := range groups {
		for range kinds {
			buffers := make([]torch.Tensor, len(g.params))
			for i, p := range g.params {
				// with p's strides, because the fused steps walk through parameter, gradient and state in memory order
				buffers[i] = torch.Tidy(func() torch.Tensor { return p.Detach().Clone() })
				buffers[i].Fill(0)
			}
			g.buffers = append(g.buffers, buffers)
		}
		o.groups = append(o.groups, g)
	}
	o.onDevice()
	o.SetLearningRate(rate)
	return o
}

// onDevice moves the count of steps and the rates to the parameters' GPU. Rates are Float32 there, which is too
// coarse for Float64 parameters.
func (o *optimizer) onDevice() {
	for _, g := range o.groups {
		for _, p := range g.params {
			if !p.Device().IsCUDA() || p.DType() == torch.Float64 {
				return
			}
		}
	}
	for i := range o.groups {
		number := torch.Options{Device: o.groups[i].params[0].Device()}
		o.groups[i].rate = torch.Empty(number)
		if i == 0 {
			o.done = torch.Zeros(torch.Options{DType: torch.Int64, Device: number.Device})
			o.one = torch.Ones(torch.Options{DType: torch.Int64})
		}
	}
}

func (o *optimizer) Step() {
	if o.done.Defined() {
		torch.NoGrad(func() { o.done.AddInPlace(o.one, 1) })
	} else {
		o.steps++
	}
	for _, g := range o.groups {
		o.move(o, g)
	}
}

func (o *optimizer) ZeroGrad() {
	for _, g := range o.groups {
		torch.ZeroGrad(g.params)
	}
}

func (o *optimizer) LearningRate() float64 { return o.rate }

func (o *optimizer) SetLearningRate(rate float64) {
	o.rate = rate
	for _, g := range o.groups {
		if g.rate.Defined() {
			g.rate.Fill(rate)
		}
	}
}

func (o *optimizer) State() []nn.Parameter {
	steps := float64(o.steps)
	if o.done.Defined() {
		steps = o.done.Item()
	}
	o.count.Fill(steps)
	return o.state()
}

func (o *optimizer) state() []nn.Parameter {
	state := []nn.Parameter{{Name: "step", Tensor: o.count, Role: nn.Buffer}}
	for _, g := range o.groups {
		for k, kind := range o.kinds {
			for i, name := range g.names {
				state = append(state, nn.Parameter{Name: name + "." + kind, Tensor: g.buffers[k][i], Role: nn.Buffer})
			}
		}
	}
	return state
}

func (o *optimizer) LoadState(tensors map[string]torch.Tensor) error {
	if err := nn.LoadState(o.state(), tensors); err != nil {
		return err
	}
	o.steps = int(o.count.Item())
	if o.done.Defined() {
		o.done.Fill(float64(o.steps))
	}
	return nil
}
