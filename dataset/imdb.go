package dataset

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// imdb is the Large Movie Review Dataset of Maas et al.: 25,000 training and
// 25,000 test reviews, half of each positive (7 stars and more of 10) and half
// negative (4 and less).
//
// They become what keras.datasets.imdb.load_data(nb_words=5000) returns, padded
// and cut in front to 400 ids, which is what the paper's program trains on; see
// tokenizer. Reviews are in the order of their paths, not shuffled.
var imdb = format{
	files:  []string{"aclImdb_v1.tar.gz"},
	source: "https://ai.stanford.edu/~amaas/data/sentiment/",
	layouts: []layout{{
		marks: []mark{{at: "aclImdb_v1.tar.gz"}, {at: "aclImdb"}},
		read:  readIMDB,
	}},
}

// reviewLength is the number of ids of a review.
const reviewLength = 400

func readIMDB(s source, _ Options) (*Dataset, error) {
	return cached("imdb", s, func() (*Dataset, error) { return buildIMDB(s) })
}

// review is a text as numbers of the tokenizer.
type review struct {
	name    string
	numbers []int32
	label   int
}

func buildIMDB(s source) (*Dataset, error) {
	d := &Dataset{Classes: []string{"neg", "pos"}}
	tokens := newTokenizer()
	var train, test []review
	err := s.walk(func(m member) error {
		part, label := reviewPlace(m, d.Classes)
		if part == "" {
			return nil
		}
		text, err := m.read()
		if err != nil {
			return err
		}
		if !utf8.Valid(text) {
			return fmt.Errorf("%s: not UTF-8 text", m.name)
		}
		r := review{name: m.name, numbers: tokens.add(text, part == "train"), label: label}
		if part == "train" {
			train = append(train, r)
		} else {
			test = append(test, r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ids, words := tokens.ids()
	d.Words = words
	if d.Train, err = sequences(train, ids, d.Classes); err != nil {
		return nil, fmt.Errorf("%s: train: %w", s.path, err)
	}
	if d.Test, err = sequences(test, ids, d.Classes); err != nil {
		return nil, fmt.Errorf("%s: test: %w", s.path, err)
	}
	return d, nil
}

// reviewPlace returns where {train,test}/{neg,pos}/ID_RATING.txt stands, and ""
// for other members: the archive also has unlabelled reviews, addresses and
// word counts.
func reviewPlace(m member, classes []string) (part string, label int) {
	dir, file := path.Split(m.name)
	folder, class := path.Split(strings.TrimSuffix(dir, "/"))
	part = path.Base(folder)
	label = slices.Index(classes, class)
	if m.dir || label < 0 || part != "train" && part != "test" || path.Ext(file) != ".txt" {
		return "", 0
	}
	return part, label
}

// sequences lays out the reviews of a split, sorted by path.
func sequences(reviews []review, ids []int32, classes []string) (Split, error) {
	slices.SortFunc(reviews, func(a, b review) int { return strings.Compare(a.name, b.name) })
	s := Split{
		Tokens: make([]int32, len(reviews)*reviewLength),
		Shape:  []int{reviewLength},
		Labels: make([]int, len(reviews)),
	}
	for k, r := range reviews {
		if k > 0 && reviews[k-1].name == r.name {
			return s, fmt.Errorf("%s is there twice", r.name)
		}
		s.Labels[k] = r.label
		sequence(s.Tokens[k*reviewLength:(k+1)*reviewLength], r.numbers, ids)
	}
	if class := s.lacks(len(classes)); class >= 0 {
		return s, errors.New("no review " + classes[class] + "/*.txt: this is not the archive, or only a part of it")
	}
	return s, nil
}
