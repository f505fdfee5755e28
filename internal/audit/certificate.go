package audit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
)

// Certificate is certificate.json: the result of an acceptance, and all that is needed to recompute it. checking.Rate
// describes the limits of a rate.
type Certificate struct {
	Schema    int              `json:"schema"` // 1
	Program   string           `json:"program"`
	Written   time.Time        `json:"written"`
	Verdict   checking.Verdict `json:"verdict"`
	Statement string           `json:"statement"` // the verdict in a sentence
	Plan      Plan             `json:"plan"`
	Rate      checking.Rate    `json:"rate"`  // of wrong labels among all
	Parts     []Part           `json:"parts"` // by class, then by the sources of the labels
	People    []Reviewer       `json:"people"`
	Agreement []Agreement      `json:"agreement"`
	Checks    []CheckedLabel   `json:"checks"` // in the order of the plan's seed
	Examples  Examples         `json:"examples"`
	SHA256    string           `json:"sha256"` // of this file with "" in this place
}

// Part is the rate of wrong labels in a part of the labels.
type Part struct {
	By   string `json:"by"` // "class", or the column that names the source of each label
	Name string `json:"name"`
	checking.Rate
}

// CheckedLabel is one check of a certificate.
type CheckedLabel struct {
	ID     string     `json:"id"`
	Given  string     `json:"given"`
	Answer Action     `json:"answer"` // of all reviewers together
	Label  string     `json:"label,omitempty"`
	Said   []Decision `json:"said"` // each reviewer's answer
}

// Examples are the examples of a certificate, in the order of the data.
type Examples struct {
	Classes  []string  `json:"classes"`
	IDs      []string  `json:"ids"`
	Given    []int     `json:"given"`            // numbers of classes
	Contents []string  `json:"contents"`         // hashes in hexadecimal; nil if there are only labels
	Column   string    `json:"column,omitempty"` // the column of Sources
	Sources  []string  `json:"sources,omitempty"`
	W        []float32 `json:"w"` // the audit's probability that the label is wrong, before the checks
}

const certificateSchema = 1

// Sources is where each label comes from.
type Sources struct {
	Column string            // a column of the data
	Of     map[string]string // the column's value by the name of the example
}

// Certify returns the certificate of an acceptance, from the answers in a log.
func (a *Accepting) Certify(said []Decision, from Sources, program string) *Certificate {
	c := &Certificate{Schema: certificateSchema, Program: program, Written: Now(), Plan: a.Plan, Examples: a.Examples,
		People: []Reviewer{}, Agreement: []Agreement{}, Checks: []CheckedLabel{}}
	if from.Column != "" {
		c.Examples.Column = from.Column
		for _, id := range a.IDs {
			c.Examples.Sources = append(c.Examples.Sources, from.Of[id])
		}
	}
	tally, checked := TallyOf(said), Tally{}
	decisions := tally.Verdicts()
	count, _ := a.Test(decisions).Checked()
	people := map[string]int{}
	for _, row := range a.Order[:count] {
		id, given := a.IDs[row], a.Classes[a.Given[row]]
		d := decisions[id]
		check := CheckedLabel{ID: id, Given: given, Answer: d.Action, Label: d.Label}
		checked[id] = tally[id].On(given)
		for _, x := range checked[id] {
			check.Said = append(check.Said, x.Decision)
			people[x.Reviewer]++
		}
		c.Checks = append(c.Checks, check)
	}
	for name, answers := range people {
		c.People = append(c.People, Reviewer{NameOf(name), answers})
	}
	slices.SortFunc(c.People, func(a, b Reviewer) int { return cmp.Compare(a.Name, b.Name) })
	c.Agreement = append(c.Agreement, checked.Agreements()...)
	c.compute()
	c.SHA256 = c.hash()
	return c
}

// test repeats the test with the answers.
func (c *Certificate) test() *checking.Acceptance {
	p, e := c.Plan, c.Examples
	test, err := p.test(e.W)
	if err != nil {
		return nil
	}
	order := checking.Order(len(e.IDs), p.Seed)
	for k, check := range c.Checks {
		d := Decision{Given: check.Given, Action: check.Answer, Label: check.Label}
		answer := d.answer(check.Given)
		if k >= len(order) || e.IDs[order[k]] != check.ID || e.Classes[e.Given[order[k]]] != check.Given ||
			answer == checking.Unanswered {
			return nil
		}
		test.Add(order[k], answer)
	}
	return test
}

// compute sets the fields that follow from the plan, the examples and the answers. It reports whether these agree.
func (c *Certificate) compute() bool {
	test, e := c.test(), c.Examples
	if test == nil {
		return false
	}
	c.Verdict, c.Statement = test.Verdict(), c.Plan.Sentence(test, len(e.IDs))
	c.Rate, c.Parts = test.Rate(nil, 1), nil
	for k, name := range e.Classes {
		rate := test.Rate(func(x int) bool { return e.Given[x] == k }, len(e.Classes))
		c.Parts = append(c.Parts, Part{"class", name, rate})
	}
	sources := slices.Compact(slices.Sorted(slices.Values(e.Sources)))
	for _, name := range sources {
		rate := test.Rate(func(x int) bool { return e.Sources[x] == name }, len(sources))
		c.Parts = append(c.Parts, Part{e.Column, name, rate})
	}
	return true
}

// hash returns the value of SHA256.
func (c Certificate) hash() string {
	c.SHA256 = ""
	data, _ := json.Marshal(c) // every type of it can be encoded
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// WriteCertificate writes certificate.json and its page, acceptance.html.
func (f *Folder) WriteCertificate(c *Certificate, page []byte) error {
	data, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return fmt.Errorf("write the certificate: %w", err)
	}
	if err := f.write(AcceptancePage, page); err != nil {
		return err
	}
	return f.write(CertificateFile, append(data, '\n'))
}

// ReadCertificate reads a certificate and verifies it: the hash, the order of the checks by the seed, and the verdict
// and rates by the answers.
func ReadCertificate(path string) (*Certificate, error) {
	data, err := files.Read(path, 1<<32)
	if err != nil {
		return nil, dataset.Errorf("the certificate: %w", err)
	}
	d, c := json.NewDecoder(bytes.NewReader(data)), &Certificate{}
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return nil, dataset.Errorf("%s is not a certificate: %w", path, err)
	}
	if c.Schema != certificateSchema {
		return nil, dataset.Errorf("%s has the schema %d, want %d: another version of the program wrote it", path, c.Schema,
			certificateSchema)
	}
	if err := c.verify(); err != nil {
		return nil, dataset.Errorf("%s: %w: the file was edited or damaged; use it as the review wrote it", path, err)
	}
	return c, nil
}

// verify returns an error if a certificate contradicts itself.
func (c *Certificate) verify() error {
	e, n := c.Examples, len(c.Examples.IDs)
	for _, given := range e.Given {
		if given < 0 || given >= len(e.Classes) {
			return fmt.Errorf("a label has class number %d of %d classes", given, len(e.Classes))
		}
	}
	if len(e.Given) != n || len(e.W) != n || e.Contents != nil && len(e.Contents) != n ||
		e.Sources != nil && len(e.Sources) != n {
		return errors.New("the columns of examples differ in length")
	}
	if e.hash() != c.Plan.Labels || hashWeights(e.W) != c.Plan.Weights {
		return errors.New("the examples differ from the plan's")
	}
	again := *c
	switch {
	case !again.compute():
		return errors.New("the checks differ from the order of the seed, or one has no answer")
	case again.Verdict != c.Verdict, again.Rate != c.Rate, !reflect.DeepEqual(again.Parts, c.Parts):
		return fmt.Errorf("the answers give another verdict or other rates (%s)", again.Statement)
	case c.hash() != c.SHA256:
		return errors.New("its hash does not match")
	}
	return nil
}

// Cover is how much of a set of labels a certificate covers.
type Cover struct {
	Labels  int     `json:"labels"`  // size of the set
	Covered int     `json:"covered"` // labels that are in the certificate
	Changed int     `json:"changed"` // labels that are not: new examples, other contents or other labels
	Removed int     `json:"removed"` // labels of the certificate that the set no longer has
	High    float64 `json:"high"`    // upper limit of the share of wrong labels, if all changed ones are wrong
	Checks  int     `json:"checks"`  // changed labels that must be right for the set to pass; 0 if that cannot help
	Passes  bool    `json:"passes"`  // whether High is at most the limit
}

// Covers compares a certificate with labels, by the contents of the examples if known, else by their names. At most a
// share high of the certificate's N labels is wrong, so at most high N + k of N' labels are wrong if k of them are
// new or changed. Removing labels cannot add wrong ones.
func (c *Certificate) Covers(data *dataset.Dataset, sums []uint64, limit float64) (Cover, error) {
	e, has, contents := c.Examples, map[[3]string]int{}, contentsOf(sums)
	if (e.Contents == nil) != (sums == nil) {
		return Cover{}, dataset.Errorf("the certificate has the contents of the examples and the data does not, or the " +
			"other way round: pass the data in the same form as at the acceptance")
	}
	of := func(id, given string, contents []string, k int) [3]string {
		if contents == nil || contents[k] == unknownContent {
			return [3]string{id, given}
		}
		return [3]string{"", given, contents[k]}
	}
	for k, id := range e.IDs {
		has[of(id, e.Classes[e.Given[k]], e.Contents, k)]++
	}
	v := Cover{Labels: data.Train.Len()}
	for i, y := range data.Train.Labels {
		l := of(data.Train.ID(i), data.Classes[y], contents, i)
		if has[l] > 0 {
			has[l]--
			v.Covered++
		} else {
			v.Changed++
		}
	}
	v.Removed = len(e.IDs) - v.Covered
	wrong := math.Round(c.Rate.High * float64(len(e.IDs))) // labels
	v.High = min((wrong+float64(v.Changed))/float64(max(v.Labels, 1)), 1)
	if v.Passes = v.High <= limit; !v.Passes {
		if may := int(math.Floor(limit*float64(v.Labels) - wrong)); may >= 0 {
			v.Checks = v.Changed - may
		}
	}
	return v, nil
}
