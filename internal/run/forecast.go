package run

import (
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
)

// Forecast estimates the duration of runs executed one after the other, by timing a step or two of each kind of run. It
// loads their data, which Execute then uses.
func (p *Pipeline) Forecast(configs []config.Config) (time.Duration, error) {
	return forecast(configs, p.timeEpoch)
}

// forecast adds up the epochs of runs, timing one of each kind.
func forecast(
	configs []config.Config, timed func(config.Config) (time.Duration, error),
) (total time.Duration, err error) {
	epochs := map[string]time.Duration{}
	for _, c := range configs {
		kind := c
		kind.Noise, kind.Seed, kind.Epochs = config.Noise{Kind: correction.NoNoise}, 0, 0
		kind.Loss, kind.LossSettings = losses.FirstLoss, losses.Settings{} // all losses cost about the same for each network
		key := c.EpochKey() + c.Device
		if _, known := epochs[key]; !known {
			if epochs[key], err = timed(kind); err != nil {
				return 0, err
			}
		}
		total += time.Duration(c.Epochs*max(1, c.LossEntry().Networks)) * epochs[key]
	}
	return total, nil
}

// timeEpoch measures the duration of a configuration's epoch, with cross-entropy.
func (p *Pipeline) timeEpoch(c config.Config) (epoch time.Duration, err error) {
	err = scoped(func() error {
		r, err := p.begin(c)
		if err != nil {
			return err
		}
		defer r.release()
		r.loss = r.crossEntropy()
		if err := inOrder(r.drawLabels, r.makeModel); err != nil {
			return err
		}
		epoch, err = r.training().Time()
		return err
	})
	return epoch, err
}
