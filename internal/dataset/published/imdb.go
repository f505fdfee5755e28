package published

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/download"
)

// imdb is the Large Movie Review Dataset of Maas et al.: 25,000 training and 25,000 test
// reviews, half of each positive (at least 7 of 10 stars) and half negative (at most 4).
//
// They become the ids of keras.datasets.imdb.load_data(nb_words=5000), padded and cut at
// the front to 400, as in the paper's program; see tokenizer. Reviews are in the order of
// their paths, not shuffled.
var imdb = Entry{
	Name: "imdb", Title: "IMDB", Kind: dataset.Text,
	// The noise from negative to positive is fixed at 5 %.
	Flips:  []correction.Flip{{From: "neg", To: "pos", Fixed: 0.05}, {From: "pos", To: "neg"}},
	files:  []string{"aclImdb_v1.tar.gz"},
	source: "https://ai.stanford.edu/~amaas/data/sentiment/",
	// Size and hash are from TensorFlow Datasets (url_checksums of its repository).
	remote: download.File{
		Address: "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",
		Size:    84125825,
		SHA256:  "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe",
	},
	layouts: []layout{{
		marks: []mark{{at: "aclImdb_v1.tar.gz"}, {at: "aclImdb"}},
		read:  readIMDB,
	}},
}

const (
	reviewLength = 400  // ids per review
	vocabulary   = 5000 // number of ids
)

var sentiments = []string{"neg", "pos"}

func readIMDB(s archive.Container, _ dataset.Options) (*dataset.Dataset, error) {
	return archive.Cached("imdb", "", s, func() (*dataset.Dataset, error) { return buildIMDB(s) })
}

// review is a text as token numbers.
type review struct {
	name    string
	numbers []int32
	label   int
}

func buildIMDB(s archive.Container) (*dataset.Dataset, error) {
	tokens, parts, err := readReviews(s)
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Classes: sentiments}
	ids, words := tokens.IDs(vocabulary)
	d.Words = words
	for k, split := range []*dataset.Split{&d.Train, &d.Test} {
		if *split, err = sequences(parts[k], ids); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.Path, splits[k], err)
		}
	}
	return d, nil
}

// readReviews reads the training and the test reviews, in the source's order.
func readReviews(s archive.Container) (*dataset.Tokenizer, [2][]review, error) {
	tokens := dataset.NewTokenizer()
	var parts [2][]review
	err := s.Walk(func(m archive.Member) error {
		part, label := reviewPlace(m)
		if part < 0 {
			return nil
		}
		text, err := m.Read()
		if err != nil {
			return err
		}
		if err := dataset.CheckText(text); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		numbers := tokens.Add(text)
		if part == 0 {
			tokens.Count(numbers)
		}
		parts[part] = append(parts[part], review{m.Name, numbers, label})
		return nil
	})
	return tokens, parts, err
}

// reviewPlace returns the split and class of {train,test}/{neg,pos}/ID_RATING.txt, and -1
// for other members, such as unlabelled reviews, addresses and word counts.
func reviewPlace(m archive.Member) (split, label int) {
	split, below := cutSplit(m.Name)
	if split < 0 || m.Dir || len(below) != 2 || path.Ext(below[1]) != ".txt" {
		return -1, -1
	}
	if label = slices.Index(sentiments, below[0]); label < 0 {
		return -1, -1
	}
	return split, label
}

// sequences returns the reviews of a split, sorted by path.
func sequences(reviews []review, ids []int32) (dataset.Split, error) {
	slices.SortFunc(reviews, func(a, b review) int { return strings.Compare(a.name, b.name) })
	s := dataset.Split{
		Tokens: make([]int32, len(reviews)*reviewLength),
		Shape:  []int{reviewLength},
		Labels: make([]int, len(reviews)),
	}
	for k, r := range reviews {
		if k > 0 && reviews[k-1].name == r.name {
			return s, fmt.Errorf("%s is listed twice", r.name)
		}
		s.Labels[k] = r.label
		dataset.Sequence(s.Tokens[k*reviewLength:(k+1)*reviewLength], r.numbers, ids)
	}
	if class := slices.Index(s.Counts(len(sentiments)), 0); class >= 0 {
		return s, errors.New("no review " + sentiments[class] + "/*.txt: this is another archive, or only a part of it")
	}
	return s, nil
}
