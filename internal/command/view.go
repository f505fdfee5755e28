package command

import (
	"cmp"
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

// chooseViews sets the views that an audit tries; none where the flags name a network.
func chooseViews(c *cli.Context, r *find.Request) error {
	text := c.String("view")
	r.AnyView, r.Anew = text == autoView, c.IsSet("view")
	network := c.String("model") != "" || c.String("backbone") != "" || c.String("probabilities") != "" ||
		config.Sets(r.Settings, "model")
	switch {
	case text != autoView && network:
		return app.Misuse(c, "--view %s beside --model, --backbone or --probabilities, which leave no choice: give "+
			"one of them", text)
	case network:
		return nil
	}
	kind, err := r.Source.Stored()
	if err != nil {
		return dataset.Errorf("%w", err)
	}
	if text == autoView {
		r.Views = find.AutoViews(kind)
		return nil
	}
	for _, name := range strings.Split(text, ",") {
		e := views.All.Named(strings.TrimSpace(name))
		switch {
		case e.Name == "" || e.Data != kind:
			return app.Misuse(c, "--view: no view of %v is named %q; there are: auto, %s", kind, name,
				strings.Join(views.Of(kind), ", "))
		case slices.ContainsFunc(r.Views, func(other views.Entry) bool { return other.Name == e.Name }):
			return app.Misuse(c, "--view names %s twice", e.Name)
		}
		r.Views = append(r.Views, e)
	}
	return nil
}

// trainingView sets the view by which a training looks at its data, that of --view or else the best
// one of an audit, where no network is named, and returns the network of a view without features.
// An audit's network of the data itself is no better than the default one.
func (p Program) trainingView(c *cli.Context, source *own.Source, audited string,
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
