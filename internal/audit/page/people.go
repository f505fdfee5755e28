package page

import (
	_ "embed"
	"fmt"
	"html/template"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/humanize"
)

// Limits of the page: people with a section of their own, mistakes in each section, classes
// for a table of T, and examples to ask about.
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

// peopleView is the content of the page.
type peopleView struct {
	Dir, Verdict string
	Classes      []string
	Copies       []audit.Copies
	Asked        []audit.Question
	MoreAsked    int // questions beyond those in Asked
	People       []personView
	Left         int // people without a section
}

type personView struct {
	audit.Person
	Rows  [][]cell // T
	Worst []mistake
}

type mistake struct {
	Task, Label, Consensus string
	PWrong                 float64
}

// makePeople writes annotators.html of an audit of several people's answers.
func makePeople(f *audit.Folder, r *audit.Report) error {
	people := r.People
	if people == nil {
		return nil
	}
	v := peopleView{Dir: f.Dir(), Verdict: peopleCount(r.Summary), Classes: r.ClassNames(), Copies: r.Crowd.Copies}
	v.Asked = people.Questions[:min(len(people.Questions), mostAsked)]
	v.MoreAsked = len(people.Questions) - len(v.Asked)
	mistakes := mistakesOf(people)
	for n, p := range r.Crowd.Ranked {
		view := personView{Person: p}
		if n < mostPeople && len(v.Classes) <= mostClasses {
			view.Rows, view.Worst = cellsOf(people.Consensus.T[p.Row]), mistakes[p.Row]
		} else {
			v.Left++
		}
		v.People = append(v.People, view)
	}
	text, err := render(peopleTemplate, "people", v)
	if err != nil {
		return err
	}
	return f.WritePage(audit.PeopleFile, text)
}

// mistakesOf returns the likeliest wrong answers of each person.
func mistakesOf(p *audit.PeopleReport) map[int][]mistake {
	out, classes := map[int][]mistake{}, p.Answers.Classes
	for _, x := range p.Wrong() {
		who, label := int(x.Worker), p.Consensus.Label[x.Task]
		if len(out[who]) < mostMistakes && label != int(x.Label) {
			out[who] = append(out[who], mistake{p.Train.ID(int(x.Task)), classes[x.Label], classes[label],
				p.Consensus.Wrong(x)})
		}
	}
	return out
}

// peopleCount states how many people there are, and how many of their answers are wrong.
func peopleCount(s audit.Summary) string {
	return fmt.Sprintf("%s gave %s answers; about %s of them are wrong.",
		humanize.People(s.Crowd.People), humanize.Number(s.Crowd.Answers), humanize.About(s.Crowd.Wrong))
}
