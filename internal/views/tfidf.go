package views

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/losscorr/losscorr/internal/dataset"
)

var tfidfEntry = Entry{
	Name: "tfidf", Title: "words and pairs of words of a text, weighted by TF-IDF, under a linear layer",
	Data: dataset.Text, Cheap: true, Sparse: true, OneStage: true,
	AuditRate: .002,
}

// TFIDF is the vocabulary of the view tfidf. The features of a text are its terms: words and
// pairs of adjacent words. A term that occurs f times in the text, and in d of n texts, has
// the weight
//
//	(1 + ln f) (1 + ln((1 + n) / (1 + d)))
//
// after which the text's weights are scaled to a sum of squares of 1.
type TFIDF struct {
	Terms  []string `json:"terms"`  // sorted; the words of a pair have a space between them
	Counts []int32  `json:"counts"` // d of each term
	Texts  int      `json:"texts"`  // n

	words map[string]int32 // number of each word, from 1
	terms map[pair]int32   // column of each term
}

// pair is a term: the numbers of its words, the second 0 for a single word.
type pair struct{ first, second int32 }

// The vocabulary is computed from at most fitted texts, evenly spaced, and has the at most
// widest terms that occur in most texts.
const (
	fitted = 100_000
	widest = 500_000
)

// leastTexts returns how many of n texts must contain a term of the vocabulary; rarer terms
// would let a network memorise wrong labels.
func leastTexts(n int) int { return min(max(2, n/5000), 10) }

// NewTFIDF returns the vocabulary of training texts. It fails if no term occurs in enough
// texts.
func NewTFIDF(texts []string) (*TFIDF, error) {
	if step := (len(texts) + fitted - 1) / fitted; step > 1 {
		var some []string
		for k := 0; k < len(texts); k += step {
			some = append(some, texts[k])
		}
		texts = some
	}
	least := leastTexts(len(texts))
	words := dataset.NewTokenizer() // counts the texts of each word
	each := make([][]int32, len(texts))
	for k, text := range texts {
		for word := range split(text) {
			each[k] = append(each[k], words.Number([]byte(word)))
		}
		words.Count(slices.Compact(slices.Sorted(slices.Values(each[k]))))
	}
	// A pair is at most as frequent as its words.
	pairs := map[pair]int32{}
	seen := map[pair]bool{}
	for _, numbers := range each {
		clear(seen)
		for i := 1; i < len(numbers); i++ {
			if p := (pair{numbers[i-1], numbers[i]}); words.Counts[p.first] >= least && words.Counts[p.second] >= least &&
				!seen[p] {
				seen[p] = true
				pairs[p]++
			}
		}
	}
	return kept(words, pairs, least, len(texts))
}

// kept makes the vocabulary from the terms that occur in enough texts.
func kept(words *dataset.Tokenizer, pairs map[pair]int32, least, texts int) (*TFIDF, error) {
	type term struct {
		name  string
		count int32
	}
	var terms []term
	for n, count := range words.Counts {
		if count >= least {
			terms = append(terms, term{words.Words[n], int32(count)})
		}
	}
	for p, count := range pairs {
		if int(count) >= least {
			terms = append(terms, term{words.Words[p.first] + " " + words.Words[p.second], count})
		}
	}
	if len(terms) == 0 {
		return nil, fmt.Errorf("no word occurs in %d of the %d texts: is this the column of the texts?", least, texts)
	}
	if len(terms) > widest {
		slices.SortFunc(terms, func(a, b term) int {
			return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.name, b.name))
		})
		terms = terms[:widest]
	}
	slices.SortFunc(terms, func(a, b term) int { return cmp.Compare(a.name, b.name) })
	v := &TFIDF{Texts: texts}
	for _, t := range terms {
		v.Terms, v.Counts = append(v.Terms, t.name), append(v.Counts, t.count)
	}
	return v, v.Check()
}

// Check prepares a vocabulary read from a file, and returns an error if it is damaged.
func (v *TFIDF) Check() error {
	if len(v.Terms) == 0 || len(v.Terms) != len(v.Counts) || v.Texts < 1 {
		return fmt.Errorf("a vocabulary of %d terms and %d counts of %d texts", len(v.Terms), len(v.Counts), v.Texts)
	}
	v.words, v.terms = map[string]int32{}, make(map[pair]int32, len(v.Terms))
	number := func(word string) int32 {
		if v.words[word] == 0 {
			v.words[word] = int32(len(v.words) + 1)
		}
		return v.words[word]
	}
	for column, term := range v.Terms {
		if v.Counts[column] < 1 || int(v.Counts[column]) > v.Texts || column > 0 && term <= v.Terms[column-1] {
			return fmt.Errorf("a vocabulary with %q in %d of %d texts, after %q", term, v.Counts[column], v.Texts,
				v.Terms[max(0, column-1)])
		}
		first, second, both := strings.Cut(term, " ")
		p := pair{first: number(first)}
		if both {
			p.second = number(second)
		}
		v.terms[p] = int32(column)
	}
	return nil
}

// Features returns the features of texts, rows of len(v.Terms) columns.
func (v *TFIDF) Features(texts []string) (*dataset.Sparse, error) {
	idf := make([]float64, len(v.Terms))
	for column, d := range v.Counts {
		idf[column] = 1 + math.Log(float64(1+v.Texts)/float64(1+d))
	}
	out := &dataset.Sparse{Starts: make([]int32, 1, len(texts)+1)}
	in := map[int32]int{}
	for _, text := range texts {
		clear(in)
		last := int32(0)
		for word := range split(text) {
			n := v.words[word] // 0 for a word outside the vocabulary
			for _, p := range []pair{{first: n}, {last, n}} {
				if column, ok := v.terms[p]; ok && p.first > 0 && n > 0 {
					in[column]++
				}
			}
			last = n
		}
		if len(out.Columns)+len(in) > math.MaxInt32 {
			return nil, fmt.Errorf("the texts have more than %d terms in total; use another view, such as words", math.MaxInt32)
		}
		from, squares := len(out.Columns), 0.
		for column := range in {
			out.Columns = append(out.Columns, column)
		}
		slices.Sort(out.Columns[from:])
		for _, column := range out.Columns[from:] {
			w := (1 + math.Log(float64(in[column]))) * idf[column]
			squares += w * w
			out.Values = append(out.Values, float32(w))
		}
		for k := range out.Values[from:] {
			out.Values[from+k] = float32(float64(out.Values[from+k]) / math.Sqrt(squares))
		}
		out.Starts = append(out.Starts, int32(len(out.Columns)))
	}
	return out, nil
}

// split yields the words of a text in lower case. Words consist of letters, marks, digits, _ and
// apostrophes inside a word; in scripts without spaces each character is a word.
func split(text string) func(yield func(string) bool) {
	text = strings.ToLower(text)
	return func(yield func(string) bool) {
		start := -1
		for at, r := range text {
			alone := r > unicode.MaxLatin1 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai,
				unicode.Lao, unicode.Khmer, unicode.Myanmar)
			inside := !alone && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_' || start >= 0 &&
				(r == '\'' || r == '’'))
			if !inside && start >= 0 {
				if !yield(strings.TrimRight(text[start:at], "'’")) {
					return
				}
				start = -1
			}
			switch {
			case alone:
				if !yield(string(r)) {
					return
				}
			case inside && start < 0:
				start = at
			}
		}
		if start >= 0 {
			yield(strings.TrimRight(text[start:], "'’"))
		}
	}
}
