package doctor

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/torch"
)

// streams are about random numbers.
func streams() []check {
	same := func(a, b []float64) error {
		if !slices.Equal(a, b) {
			return errors.New("the draws differ")
		}
		return nil
	}
	differ := func(a, b []float64) error {
		if slices.Equal(a, b) {
			return errors.New("the draws are the same")
		}
		return nil
	}
	draw := func(g *torch.Generator, d torch.Device) []float64 {
		on := torch.Options{Device: d}
		x := torch.Ones(on, 100, 10)
		return slices.Concat(
			values(g.Normal(0, 1, on, 100)), values(g.Uniform(0, 1, on, 100)), values(g.Permutation(100)),
			values(x.Dropout(.5, g)), values(x.ReLUDropout(.3, g)),
			values(g.Integers(0, 1000, torch.Options{DType: torch.Int64, Device: d}, 100)))
	}
	of := func(m *machine, seed uint64, purpose string) []float64 {
		return draw(torch.NewGenerator(config.Stream(seed, purpose), m.Device), m.Device)
	}
	return []check{
		{"same seed, same draws", 0, func(m *machine) (float64, error) {
			return 0, same(of(m, 1, "dropout"), of(m, 1, "dropout"))
		}},
		{"another seed, other draws", 0, func(m *machine) (float64, error) {
			return 0, differ(of(m, 1, "dropout"), of(m, 2, "dropout"))
		}},
		{"another purpose, other draws", 0, func(m *machine) (float64, error) {
			return 0, differ(of(m, 1, "dropout"), of(m, 1, "augment"))
		}},
		{"restored streams repeat", 0, func(m *machine) (float64, error) {
			g := torch.NewGenerator(1, m.Device)
			draw(g, m.Device)
			state := g.State()
			first := draw(g, m.Device)
			other := torch.NewGenerator(2, m.Device)
			other.Restore(state)
			return 0, same(first, draw(other, m.Device))
		}},
		{"other streams leave one alone", 0, func(m *machine) (float64, error) {
			alone := of(m, 1, "dropout")
			g, noise := torch.NewGenerator(config.Stream(1, "dropout"), m.Device), torch.NewGenerator(3, m.Device)
			draw(noise, m.Device)
			beside := draw(g, m.Device)
			return 0, same(alone, beside)
		}},
		{"dropout's share and scale", 0, func(m *machine) (float64, error) {
			const n, p = 1 << 18, .3
			kept := torch.Ones(torch.Options{Device: m.Device}, n).Dropout(p, torch.NewGenerator(1, m.Device))
			dropped := kept.EqScalar(0).ToDType(torch.Float64).Mean().Item()
			// Six standard deviations, and the rounding of p to 1/65536.
			if bound := 6*math.Sqrt(p*(1-p)/n) + 1./65536; !(math.Abs(dropped-p) <= bound) {
				return 0, fmt.Errorf("a share of %v is dropped, want %v", dropped, p)
			}
			if largest := kept.ToDType(torch.Float64).Amax().Item(); math.Abs(largest*(1-p)-1) > 1e-4 {
				return 0, fmt.Errorf("what is kept is scaled by %v, want %v", largest, 1/(1-p))
			}
			return 0, nil
		}},
		{"normal and uniform moments", 0, func(m *machine) (float64, error) {
			const n = 1 << 18
			g, on := torch.NewGenerator(1, m.Device), torch.Options{Device: m.Device}
			for _, c := range []struct {
				name      string
				x         torch.Tensor
				mean, std float64
			}{{"normal", g.Normal(2, 3, on, n), 2, 3}, {"uniform", g.Uniform(-1, 1, on, n), 0, 1 / math.Sqrt(3)}} {
				x := c.x.ToDType(torch.Float64)
				mean, std := x.Mean().Item(), math.Sqrt(x.Sub(x.Mean()).Square().Mean().Item())
				if bound := 6 * c.std / math.Sqrt(n); math.Abs(mean-c.mean) > bound || math.Abs(std-c.std) > bound {
					return 0, fmt.Errorf("%s draws have mean %v and standard deviation %v, want %v and %v", c.name, mean, std, c.mean,
						c.std)
				}
			}
			return 0, nil
		}},
	}
}
