package labels

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/views"
)

// autoView is the value of --view by which an audit tries the cheap views of the data and takes the best.
const autoView = "auto"

// viewFlag names the views of an audit.
func viewFlag() cli.Flag {
	return &cli.StringFlag{Name: "view", Value: autoView, Category: "DATA", Usage: "how the data is looked at: " +
		"`NAME` or NAME,NAME of " + strings.Join(views.All.Names(), ", ") +
		"; auto tries the cheap ones of the kind of data and takes the best, or their mean"}
}

// chosenViews returns the views that an audit tries; none where the flags name a network.
func chosenViews(c *cli.Context, source own.Source, given []string) ([]views.Entry, error) {
	text := c.String("view")
	network := c.String("model") != "" || c.String("backbone") != "" || c.String("probabilities") != "" ||
		config.Sets(given, "model")
	switch {
	case text != autoView && network:
		return nil, app.Misuse(c, "--view %s beside --model, --backbone or --probabilities, which leave no choice: give "+
			"one of them", text)
	case network:
		return nil, nil
	}
	kind, err := source.Stored()
	if err != nil {
		return nil, dataset.Errorf("%w", err)
	}
	var chosen []views.Entry
	if text == autoView {
		for _, e := range views.All {
			if e.Data == kind && e.Cheap {
				chosen = append(chosen, e)
			}
		}
		return chosen, nil
	}
	for _, name := range strings.Split(text, ",") {
		e := views.All.Named(strings.TrimSpace(name))
		switch {
		case e.Name == "" || e.Data != kind:
			return nil, app.Misuse(c, "--view: no view of %v is named %q; there are: auto, %s", kind, name,
				strings.Join(views.Of(kind), ", "))
		case slices.ContainsFunc(chosen, func(other views.Entry) bool { return other.Name == e.Name }):
			return nil, app.Misuse(c, "--view names %s twice", e.Name)
		}
		chosen = append(chosen, e)
	}
	return chosen, nil
}

// candidates returns the networks of the views that an audit of n examples tries. Of the views that
// nobody named, those are left out whose networks do not have a setting that was given.
func candidates(c *cli.Context, source own.Source, chosen []views.Entry, n int,
	given []string) (networks []config.Config, err error) {
	var refused error
	for _, e := range chosen {
		network, err := networksOf(c, source, e, n, given)
		switch {
		case err != nil && c.String("view") != autoView:
			return nil, err
		case err != nil:
			refused = err
		default:
			networks = append(networks, network)
		}
	}
	if len(networks) == 0 {
		return nil, refused
	}
	return networks, nil
}

// networksOf returns the configuration of the networks of a view for n examples.
func networksOf(c *cli.Context, source own.Source, view views.Entry, n int,
	given []string) (network config.Config, err error) {
	if !view.Plain {
		source.View = view.Name
	}
	settings, err := auditSettings(c, source)
	if err != nil {
		return network, err
	}
	settings.Model, settings.Rate = view.Model, view.AuditRate
	doc, err := config.ReadOwn(settings, given...)
	if err != nil {
		return network, err
	}
	if network, err = oneRun(doc); err != nil {
		return network, err
	}
	return oneRun(doc.With(find.Sized(settings, network, n)))
}

// autoTexts is the number of texts up to which auto tries an encoder of texts, whose features take a
// few hundredths of a second each: more than all else of an audit.
const autoTexts = 5000

// withEncoders returns the views without those whose encoder cannot be had, which are errors if they were
// named; else a network of the data's own takes their place, with a warning that says what to type.
// Grey images are no photos: encoders have learned from photos. n is the number of examples.
func (p Commands) withEncoders(c *cli.Context, chosen []views.Entry, grey bool, n int) ([]views.Entry, string, error) {
	var out []views.Entry
	warning := ""
	for _, e := range chosen {
		if e.Encoder == "" {
			out = append(out, e)
			continue
		}
		auto := c.String("view") == autoView
		if auto && grey {
			out = append(out, views.All.Named("own"))
			continue
		}
		encoder := encoders.All.Named(e.Encoder)
		if auto && e.Data == dataset.Text { // there are other views of texts
			if _, err := encoder.Path(); err != nil {
				continue
			}
			if n > autoTexts {
				p.Note(c)(fmt.Sprintf("view %s is not tried with more than %d texts, for its time: --view %s,... tries it", e.Name,
					autoTexts, e.Name))
				continue
			}
		}
		switch _, err := p.encoder(c.Context, encoder, c.Bool("offline")); {
		case err == nil:
			out = append(out, e)
		case !auto || c.Context.Err() != nil:
			return nil, "", err
		default:
			out = append(out, views.All.Named("own"))
			warning = fmt.Sprintf("a network learns from these images alone, and mostly finds far fewer wrong labels in "+
				"photos than features of %s do: losscorr encoders get %s (%s), and audit again (%v)",
				encoder.Name, encoder.Name, encoder.Megabytes(), err)
		}
	}
	return out, warning, nil
}

// trainingView sets the view by which a training looks at its data, that of --view or else the best
// one of an audit, where no network is named, and returns the network of a view without features.
// An audit's network of the data itself is no better than the default one.
func (p Commands) trainingView(c *cli.Context, source *own.Source, audited string,
	given []string) (model string, err error) {
	name := c.String("view")
	if name == autoView { // which is for audits, and may come from the environment
		name = ""
	}
	network := c.String("model") != "" || c.String("backbone") != "" || config.Sets(given, "model")
	if name != "" && network {
		return "", app.Misuse(c, "--view %s beside --model or --backbone, which leave no choice: give one of them", name)
	}
	view := views.All.Named(cmp.Or(name, audited))
	if network || name == "" && (view.Name == "" || view.Plain) {
		return "", nil
	}
	kind, err := source.Stored()
	switch {
	case err != nil:
		return "", dataset.Errorf("%w", err)
	case view.Data != kind && name == "": // of other data than the audit's
		return "", nil
	case view.Data != kind || view.Name == "":
		return "", app.Misuse(c, "--view: no view of %v is named %q; there are: %s", kind, name,
			strings.Join(views.Of(kind), ", "))
	case view.Plain:
		return view.Model, nil
	case view.Encoder != "":
		_, err = p.encoder(c.Context, encoders.All.Named(view.Encoder), c.Bool("offline"))
	}
	source.View = view.Name
	return "", err
}
