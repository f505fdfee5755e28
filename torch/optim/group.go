package optim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// RateFactor gives each parameter its own learning rate: this factor of the
// optimizer's. A schedule moves all of them alike, and what has the factor 0 stays
// as it is. nil is 1 for all. Constructors of optimizers panic on a factor below 0 or NaN.
type RateFactor func(p nn.Parameter) float64

// ByPrefix is the factor of the longest prefix of the parameter's name in factors,
// and 1 for names without one:
//
//	optim.ByPrefix(map[string]float64{"backbone.": .1, "backbone.stem.": 0})
func ByPrefix(factors map[string]float64) RateFactor {
	return func(p nn.Parameter) float64 {
		factor, longest := 1.0, -1
		for prefix, f := range factors {
			if strings.HasPrefix(p.Name, prefix) && len(prefix) > longest {
				factor, longest = f, len(prefix)
			}
		}
		return factor
	}
}

// grouped sorts parameters by weight decay and rate, those that decay first. Panics
// if a factor is not a number from 0 up.
func grouped(params []nn.Parameter, decay float64, decayAll bool, factor RateFactor) []group {
	type key struct{ decay, factor float64 }
	var keys []key
	members := map[key]*group{}
	for _, p := range params {
		k := key{0, 1}
		if p.Role == nn.Weight || decayAll {
			k.decay = decay
		}
		if factor != nil {
			k.factor = factor(p)
		}
		if !(k.factor >= 0) {
			panic(&torch.Error{Op: "optimizer", Kind: torch.Value, Msg: fmt.Sprintf("the learning rate of %s has the factor %v", p.Name, k.factor)})
		}
		g := members[k]
		if g == nil {
			keys = append(keys, k)
			g = &group{decay: k.decay, factor: k.factor}
			members[k] = g
		}
		g.names = append(g.names, p.Name)
		g.params = append(g.params, p.Tensor)
	}
	var decaying, rest []group
	for _, k := range keys {
		if k.decay != 0 {
			decaying = append(decaying, *members[k])
		} else {
			rest = append(rest, *members[k])
		}
	}
	return slices.Concat(decaying, rest)
}
