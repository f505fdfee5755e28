package dataset

import (
	"cmp"
	"slices"
	"strings"
)

// Special ids, as in keras.datasets.imdb.load_data. Its index_from = 3 is added to ranks that begin at 1, so
// the most frequent word is 4 and 3 is never used.
const (
	idPadding = 0
	idStart   = 1
	IDUnknown = 2
	IDFrom    = 3 // the word of rank r has the id IDFrom + r
)

// separators are the characters besides the space that end a word: the filters of Keras's Tokenizer, and the
// carriage return. They do not include the apostrophe, so "don't" is one word; the tag <br /> leaves the word
// "br".
const separators = "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n\r"

// Tokenizer turns texts into word ids in two steps: first numbers in order of appearance, then, after all
// texts, ids by rank.
type Tokenizer struct {
	number map[string]int32
	Words  []string // by number
	Counts []int    // by number, in training texts only
}

// NewTokenizer returns a tokenizer with the words of training texts, given in the order of their ranks.
func NewTokenizer(ranked ...string) *Tokenizer {
	t := &Tokenizer{number: map[string]int32{}}
	for rank, word := range ranked {
		t.Counts[t.Number([]byte(word))] = len(ranked) - rank
	}
	return t
}

// Add returns the numbers of a text's words in lower case. It works on bytes, as Keras did under Python 2, so
// capital letters outside ASCII stay. This gives the training reviews of IMDB the 88,584 words of Keras's
// index with the same counts.
func (t *Tokenizer) Add(text []byte) []int32 {
	numbers := make([]int32, 0, len(text)/5)
	word := make([]byte, 0, 64)
	for k := 0; k <= len(text); k++ {
		if k < len(text) && lower[text[k]] != ' ' {
			word = append(word, lower[text[k]])
			continue
		}
		if len(word) > 0 {
			numbers = append(numbers, t.Number(word))
			word = word[:0]
		}
	}
	return numbers
}

// Number returns the number of a word, which may be new.
func (t *Tokenizer) Number(word []byte) int32 {
	n, ok := t.number[string(word)]
	if !ok {
		w := string(word)
		n = int32(len(t.Words))
		t.number[w] = n
		t.Words = append(t.Words, w)
		t.Counts = append(t.Counts, 0)
	}
	return n
}

// Count counts the words of a training text.
func (t *Tokenizer) Count(numbers []int32) {
	for _, n := range numbers {
		t.Counts[n]++
	}
}

// lower maps bytes to lower case, and separators to a space.
var lower = func() (to [256]byte) {
	for b := range to {
		to[b] = byte(b)
		if 'A' <= b && b <= 'Z' {
			to[b] += 'a' - 'A'
		} else if strings.IndexByte(separators, byte(b)) >= 0 {
			to[b] = ' '
		}
	}
	return to
}()

// IDs returns the id of each number and the words by id. Ids are below size, and 0 for words without a
// training text. Words are ranked by their count in the training texts, then by their bytes. Keras ranked
// equal counts in the order of a Python dictionary; otherwise the ids are the same.
func (t *Tokenizer) IDs(size int) (ids []int32, words []string) {
	order := t.Order()
	ids = make([]int32, len(t.Words))
	words = []string{idPadding: "<padding>", idStart: "<start>", IDUnknown: "<unknown>", IDFrom: "<unused>"}
	for rank, n := range order {
		ids[n] = IDUnknown
		if id := IDFrom + 1 + rank; id < size {
			ids[n] = int32(id)
			words = append(words, t.Words[n])
		}
	}
	return ids, words
}

// Order returns the numbers of the words in training texts by rank.
func (t *Tokenizer) Order() []int32 {
	order := make([]int32, 0, len(t.Words))
	for n, count := range t.Counts {
		if count > 0 {
			order = append(order, int32(n))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.Counts[b], t.Counts[a]), cmp.Compare(t.Words[a], t.Words[b]))
	})
	return order
}

// Sequence fills row with padding, the start and a text's ids, or with the last ids if there are too many.
// Words without a training text are left out, as in Keras's data.
func Sequence(row, numbers, ids []int32) {
	k := len(row)
	for _, n := range slices.Backward(numbers) {
		if k == 0 {
			return
		}
		if ids[n] != 0 {
			k--
			row[k] = ids[n]
		}
	}
	if k > 0 {
		row[k-1] = idStart
	}
}
