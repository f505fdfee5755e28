package pipeline

import (
	"math/rand/v2"
	"time"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/torch"
)

// Forecast estimates the duration of runs that are executed one after the other, from a
// timed step or two of each kind among them. It loads their data, which Execute then
// uses.
func (p *Pipeline) Forecast(configs []config.Config) (time.Duration, error) {
	return forecast(configs, p.timeEpoch)
}

// forecast adds up the epochs of runs. One of each kind is timed.
func forecast(configs []config.Config, timed func(config.Config) (time.Duration, error)) (total time.Duration, err error) {
	epochs := map[string]time.Duration{}
	for _, c := range configs {
		kind := c
		kind.Noise, kind.Seed, kind.Epochs = config.Noise{Kind: correction.NoNoise}, 0, 0
		kind.Loss, kind.LossSettings = losses.FirstLoss, losses.Settings{} // all losses cost about the same for each network
		key := kind.ID() + c.Device
		if _, known := epochs[key]; !known {
			if epochs[key], err = timed(kind); err != nil {
				return 0, err
			}
		}
		total += time.Duration(c.Epochs*max(1, c.LossEntry().Networks)) * epochs[key]
	}
	return total, nil
}

// timeEpoch measures the duration of an epoch of a configuration.
func (p *Pipeline) timeEpoch(c config.Config) (epoch time.Duration, err error) {
	e := &execution{Job: &store.Job{Config: c}, sources: &p.sources}
	err = torch.Try(func() (err error) {
		torch.Scope(func() { epoch, err = e.timeEpoch() })
		return err
	})
	return epoch, err
}

func (e *execution) timeEpoch() (time.Duration, error) {
	torch.SetThreads(1)
	defer e.close()
	var err error
	if e.device, err = torch.ParseDevice(e.Config.Device); err != nil {
		return 0, err
	}
	e.freeGPU = holdGPU(e.Config)
	if e.source, err = e.sources.source(e.Config, e.device); err != nil {
		return 0, err
	}
	if e.noise, err = newLabels(e.Config, e.source, rand.New(e.rng("noise"))); err != nil {
		return 0, err
	}
	e.loss = losses.NewCrossEntropy(len(e.source.classes), losses.Options{Options: torch.Options{Device: e.device}})
	if err := e.makeModel(); err != nil {
		return 0, err
	}
	return e.newRun().Time()
}
