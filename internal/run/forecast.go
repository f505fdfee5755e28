package run

import (
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/torch"
)

// Forecast estimates the duration of runs that are executed one after the other, from a
// timed step or two of each kind among them. It loads their data, which Execute then
// uses.
func (p *Pipeline) Forecast(configs []config.Config) (time.Duration, error) {
	return forecast(configs, p.timeEpoch)
}

// forecast adds up the epochs of runs. One of each kind is timed.
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

// timeEpoch measures the duration of an epoch of a configuration, with cross-entropy.
func (p *Pipeline) timeEpoch(c config.Config) (epoch time.Duration, err error) {
	err = torch.Try(func() (err error) {
		torch.Scope(func() {
			torch.SetThreads(1)
			epoch, err = p.timeSteps(c)
		})
		return err
	})
	return epoch, err
}

func (p *Pipeline) timeSteps(c config.Config) (time.Duration, error) {
	m, release, err := p.open(c)
	if err != nil {
		return 0, err
	}
	defer release()
	noise, err := newLabels(m)
	if err != nil {
		return 0, err
	}
	model, err := m.startingModel()
	if err != nil {
		return 0, err
	}
	return m.training(noise, m.crossEntropy(), model).Time()
}
