package optim

import (
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// EMA is an exponential moving average of a model's parameters, often better on new
// data than the parameters themselves (Polyak and Juditsky, 1992). It starts as the
// parameters at the first Update and then moves towards them:
//
//	a = Decay a + (1 - Decay) p
//
// Buffers, such as running moments, are copied, as PyTorch's AveragedModel does.
//
//	average := optim.NewEMA(optim.EMA{Decay: .999}, model.Parameters())
//	for x, y := range batches {
//		..
//		optimizer.Step()
//		average.Update()
//	}
//	average.Use(func() { evaluate(model) })
type EMA struct {
	Decay float64 // 0 is .999

	params, averages []nn.Parameter
	updates          int
	count            torch.Tensor // updates, for State
	inUse            bool
}

// NewEMA makes the averages of params, in the scope that it is called in.
func NewEMA(e EMA, params []nn.Parameter) *EMA {
	if e.Decay == 0 {
		e.Decay = .999
	}
	e.params = params
	made := map[torch.Tensor]torch.Tensor{} // names of one tensor share its average
	for _, p := range params {
		a, again := made[p.Tensor]
		if !again {
			a = torch.Tidy(func() torch.Tensor { return p.Tensor.Detach().Clone() })
			made[p.Tensor] = a
		}
		e.averages = append(e.averages, nn.Parameter{Name: "module." + p.Name, Tensor: a, Role: p.Role})
	}
	e.count = torch.Zeros(torch.Options{DType: torch.Int64})
	return &e
}

// outside panics within Use, where e.averages holds the parameters.
func (e *EMA) outside() {
	if e.inUse {
		panic(&torch.Error{Op: "ema", Kind: torch.Value, Msg: "the model holds the averages now: wait for the end of Use"})
	}
}

// Update moves the averages, after a step of the optimizer. Panics within Use.
func (e *EMA) Update() {
	e.outside()
	e.updates++
	if e.updates == 1 {
		copyAll(e.averages, e.params)
		return
	}
	torch.Lerp(nn.Tensors(nn.Trainable(e.averages)), nn.Tensors(nn.Trainable(e.params)), 1-e.Decay)
	copyAll(buffers(e.averages), buffers(e.params))
}

// Use runs f with the averages in the model, and puts the parameters back at its
// end. Call it between steps, not between a forward pass and its backward. Panics
// within Use.
func (e *EMA) Use(f func()) {
	e.outside()
	e.exchange()
	e.inUse = true
	defer func() {
		e.inUse = false
		e.exchange()
	}()
	f()
}

func (e *EMA) exchange() {
	exchanged := map[torch.Tensor]bool{}
	torch.NoGrad(func() {
		for i, p := range e.params {
			if exchanged[p.Tensor] {
				continue
			}
			exchanged[p.Tensor] = true
			torch.Scope(func() {
				was, average := p.Tensor.Clone(), e.averages[i].Tensor
				p.Tensor.CopyFrom(average)
				average.CopyFrom(was)
			})
		}
	})
}

// State lists the averages, named as AveragedModel's state_dict names them: module,
// a dot and the parameter's name, and n_averaged, the number of updates so far. The
// tensors are EMA's own. Panics within Use.
func (e *EMA) State() []nn.Parameter {
	e.outside()
	e.count.Fill(float64(e.updates))
	return e.state()
}

func (e *EMA) state() []nn.Parameter {
	return append([]nn.Parameter{{Name: "n_averaged", Tensor: e.count, Role: nn.Buffer}}, e.averages...)
}

// LoadState copies such tensors back. If names or shapes differ it changes nothing,
// and its error lists every difference. Panics within Use.
func (e *EMA) LoadState(tensors map[string]torch.Tensor) error {
	e.outside()
	if err := nn.LoadState(e.state(), tensors); err != nil {
		return err
	}
	e.updates = int(e.count.Item())
	return nil
}

func copyAll(to, from []nn.Parameter) {
	torch.NoGrad(func() {
		for i := range to {
			to[i].Tensor.CopyFrom(from[i].Tensor)
		}
	})
}

// buffers is params without what is trained, by this name or by another.
func buffers(params []nn.Parameter) []nn.Parameter {
	trained := map[torch.Tensor]bool{}
	for _, p := range nn.Trainable(params) {
		trained[p.Tensor] = true
	}
	var list []nn.Parameter
	for _, p := range params {
		if !trained[p.Tensor] {
			list = append(list, p)
		}
	}
	return list
}
