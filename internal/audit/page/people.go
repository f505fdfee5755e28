package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/report/html"
)

// How much of the people is on their page: people with a section of their own, their likeliest
// mistakes, classes up to which T is a table, and examples to ask about.
const (
	mostPeople   = 200
	mostMistakes = 20
	mostClasses  = 30
	mostAsked    = 20
)

//go:embed people.html
var peopleHTML string

var peopleTemplate = template.Must(template.Must(pageTemplate.Clone()).Funcs(template.FuncMap{
	"maybe": func(v *float64) string {
		if v == nil {
			return ""
		}
		return percent(*v)
	},
}).Parse(peopleHTML))

// peopleView is what the page of people shows.
type peopleView struct {
	Dir, Verdict string
	CSS          template.CSS
	Classes      []string
	Copies       []audit.Copies
	Asked        []audit.Question
	MoreAsked    int // that are not in Asked
	People       []personView
	Left         int // people without a section
}

type personView struct {
	audit.Person
	Rows  []personRow
	Worst []mistake
}

type personRow struct {
	Name  string
	Cells []cell
}

type mistake struct {
	audit.PersonAnswer
	Consensus string
}

// makePeople writes annotators.html of an audit of several people's answers.
func makePeople(f *audit.Folder, s audit.Summary) error {
	if s.Crowd == nil {
		return nil
	}
	v := peopleView{Dir: f.Dir(), CSS: template.CSS(html.StyleSheet + pageCSS), Verdict: peopleCount(s),
		Classes: s.ClassNames(), Copies: s.Crowd.Copies} //nolint:gosec // our own
	if s.Crowd.Asked > 0 {
		all, err := f.Questions()
		if err != nil {
			return err
		}
		v.Asked = all[:min(len(all), mostAsked)]
		v.MoreAsked = len(all) - len(v.Asked)
	}
	t, err := f.PeopleT(len(v.Classes))
	if err != nil {
		return err
	}
	mistakes, err := mistakesOf(f)
	if err != nil {
		return err
	}
	for n, p := range s.Crowd.Ranked {
		view := personView{Person: p}
		if n < mostPeople && len(v.Classes) <= mostClasses {
			view.Rows, view.Worst = personRows(v.Classes, t[p.Row]), mistakes[p.Name]
		} else {
			v.Left++
		}
		v.People = append(v.People, view)
	}
	var b bytes.Buffer
	if err := peopleTemplate.ExecuteTemplate(&b, "people", v); err != nil {
		return fmt.Errorf("audit: write the page of people: %w", err)
	}
	return f.WritePeople(b.Bytes())
}

// mistakesOf are the likeliest wrong answers of each person.
func mistakesOf(f *audit.Folder) (map[string][]mistake, error) {
	consensus, err := f.Consensus()
	if err != nil {
		return nil, err
	}
	label := make(map[string]string, len(consensus))
	for _, c := range consensus {
		label[c.ID] = c.Label
	}
	out := map[string][]mistake{}
	err = f.EachAnswer(func(x audit.PersonAnswer) error {
		if len(out[x.Worker]) < mostMistakes && label[x.Task] != x.Label {
			out[x.Worker] = append(out[x.Worker], mistake{x, label[x.Task]})
		}
		return nil
	})
	return out, err
}

// personRows draws T of a person, [C C].
func personRows(classes []string, t []float32) (rows []personRow) {
	c := len(classes)
	for k, name := range classes {
		row := personRow{Name: name}
		for _, v := range t[k*c : (k+1)*c] {
			row.Cells = append(row.Cells, shaded(float64(v)))
		}
		rows = append(rows, row)
	}
	return rows
}

// peopleCount says how many people there are, and how many of their answers are wrong.
func peopleCount(s audit.Summary) string {
	return fmt.Sprintf("%s gave %s answers, of which about %s are wrong.",
		humanize.People(s.Crowd.People), humanize.Number(s.Crowd.Answers), humanize.About(s.Crowd.Wrong))
}
