package find

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/views"
)

// better is how much an average of views must lower the loss to be used.
const better = .002

// look trains the first stage of each candidate and takes the view with the lowest loss, or
// the average of the best few if its loss is lower. It returns the networks of the best view, and whether there is no
// second stage.
func (a *work) look(f *audit.Folder, found *finding) (best networks, only bool, err error) {
	type tried struct {
		audit.View
		networks networks
		p        []float32
	}
	candidates := a.candidates()
	var all []tried
	for _, c := range candidates {
		name := viewOf(c)
		a.Note(fmt.Sprintf("stage 1, view %s: %d networks, each without one part of the data", name, c.Folds.Count))
		n, err := a.train(f, first(c), 1)
		if err != nil {
			return best, false, err
		}
		p, loss, err := judging.FitGiven(n.logits, a.Data.Train.Labels, a.Data.Classes)
		if err != nil {
			return best, false, err
		}
		all = append(all, tried{audit.View{Name: name, Loss: loss, Model: c.Network()}, n, p})
	}
	slices.SortStableFunc(all, func(a, b tried) int { return cmp.Compare(a.Loss, b.Loss) })
	best, found.Noisy, only = all[0].networks, all[0].p, views.All.Named(all[0].Name).OneStage
	used, loss := 1, all[0].Loss
	sum := slices.Clone(all[0].p)
	for k := 1; k < len(all); k++ {
		for i, v := range all[k].p {
			sum[i] += v
		}
		p, now, err := judging.FitGiven(logs(sum), a.Data.Train.Labels, a.Data.Classes)
		if err != nil {
			return best, false, err
		}
		if now < loss-better {
			used, loss, found.Noisy, only = k+1, now, p, true
		}
	}
	for k := range all {
		all[k].Used = k < used
		found.Views = append(found.Views, all[k].View)
		if all[k].Used {
			found.Runs = append(found.Runs, ids(all[k].networks.runs)...)
		}
	}
	if len(all) > 1 {
		var losses []string
		for _, v := range found.Views {
			losses = append(losses, fmt.Sprintf("%s %.3f", v.Name, v.Loss))
		}
		a.Note(fmt.Sprintf("views by loss: %s (used: %d)", strings.Join(losses, ", "), used))
	}
	return best, only, nil
}

// candidates are the networks to choose from.
func (a *work) candidates() []config.Config {
	if len(a.Candidates) > 0 {
		return a.Candidates
	}
	return []config.Config{a.Networks}
}

// viewOf returns the name of a configuration's view, or of its network if that learns from the
// data itself.
func viewOf(c config.Config) string {
	if c.Source.View != "" {
		return c.Source.View
	}
	kind, _ := c.Source.Kind()
	for _, e := range views.All {
		if e.Plain && e.Data == kind && e.Model == c.Model {
			return e.Name
		}
	}
	return c.Network()
}

// stronger suggests what to try when the networks or features are too weak to judge the
// labels.
func (a *work) stronger() string {
	source := a.candidates()[0].Source
	kind, _ := source.Stored()
	switch {
	case a.Probabilities != nil:
		return cmp.Or(misordered(a.Probabilities, a.Data.Train.Labels, len(a.Data.Classes)),
			"Probabilities of a better model narrow the range")
	case source.Backbone != "":
	default:
		for _, e := range views.All { // whose encoder could be fetched
			if e.Data == kind && e.Encoder != "" && !slices.ContainsFunc(a.candidates(), func(c config.Config) bool {
				return c.Source.View == e.Name
			}) {
				return fmt.Sprintf("A network that was pretrained on such data usually narrows the range: losscorr encoders "+
					"get %s, then audit again with --view auto", e.Encoder)
			}
		}
	}
	return "Features of a network that was trained on similar data (--backbone FILE.pt2) or more examples narrow the range"
}
