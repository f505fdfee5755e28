package optim

import (
	"slices"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// Optimizer moves the parameters that it was made with. Those that have no
// gradient at a step stay as they are, and so does what is remembered of them.
type Optimizer interface {
	// Step moves the parameters once.
	Step()
	// ZeroGrad removes their gradients.
	ZeroGrad()
	LearningRate() float64
	SetLearningRate(rate float64)
	// State lists what the optimizer remembers, named as the parameter, a dot
	// and PyTorch's name for it, and "step", the number of steps so far. The
	// tensors are the optimizer's own.
	State() []nn.Parameter
	// LoadState copies such tensors back. If names or shapes differ it changes
	// nothing, and its error lists every difference.
	LoadState(tensors map[string]torch.Tensor) error
}

// optimizer is what all methods share.
type optimizer struct {
	rate   float64
	groups []group
	kinds  []string // of buffers
	steps  int
	count  torch.Tensor // steps, for State
	move   func(o *optimizer, g group)

	// Of parameters on a GPU, see onDevice, the steps are counted there, and each group has its rate there, so that
	// a step that was recorded counts, and takes the rate of the time.
	done, one torch.Tensor
}

// Recordable reports whether a step of o can be part of a torch.Record: whether o is of this package
// and its parameters are on a GPU, none in Float64: it counts its steps and holds its learning rate there.
func Recordable(o Optimizer) bool {
	own, ok := o.(*optimizer)
	return ok && own.done.Defined()
}

// group is the parameters with the same weight decay.
type group struct {
	names   []string
	params  []torch.Tensor
	buffers [][]torch.Tensor // by kind, then by parameter
	decay   float64
	rate    torch.Tensor
}

// grouped puts the parameters that weight decay acts on before the others.
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
				buffers[i] = like(p)
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

// onDevice moves the count of steps and the rates to a GPU with the parameters. Rates are Float32 there,
// which is too coarse for parameters of Float64.
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

// like is a tensor that lies in memory as p does: the fused steps walk through
// parameter, gradient and state in the order of memory, and so need the same strides.
func like(p torch.Tensor) torch.Tensor {
	return torch.Tidy(func() torch.Tensor { return p.Detach().Clone() })
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
