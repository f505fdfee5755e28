// Package wordpiece splits texts into the tokens of BERT's uncased models: words in lower case
// without accents, or the longest known pieces of words that are not in the vocabulary.
//
//	v, err := wordpiece.Read(vocab)     // vocab.txt: one token on each line
//	ids := v.IDs("A film.", 256)        // [CLS] a film . [SEP]
//
// The ids equal those of Hugging Face's tokenizers, except that words such as "[MASK]" in a text are
// ordinary words, not special tokens.
package wordpiece

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Vocabulary holds the ids of tokens. It caches the tokens of words, so only one goroutine at a time
// may use it.
type Vocabulary struct {
	ids                 map[string]int32
	unknown, start, end int32
	seen                map[string][]int32
}

const (
	// longestWord is the largest number of characters in a known word.
	longestWord = 100
	// remembered is the largest number of cached words.
	remembered = 1 << 18
	// inside is the prefix of a token that continues a word.
	inside = "##"
)

// Read reads a vocabulary. A token's id is its line number, from 0; the first token is [PAD].
func Read(r io.Reader) (*Vocabulary, error) {
	v := &Vocabulary{ids: map[string]int32{}, seen: map[string][]int32{}}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		token := lines.Text()
		if _, twice := v.ids[token]; twice {
			return nil, fmt.Errorf("the vocabulary has %q twice", token)
		}
		v.ids[token] = int32(len(v.ids))
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	for token, id := range map[string]*int32{"[UNK]": &v.unknown, "[CLS]": &v.start, "[SEP]": &v.end} {
		var there bool
		if *id, there = v.ids[token]; !there {
			return nil, fmt.Errorf("the vocabulary lacks %s", token)
		}
	}
	if id, there := v.ids["[PAD]"]; !there || id != 0 {
		return nil, fmt.Errorf("the vocabulary does not start with [PAD]")
	}
	return v, nil
}

// IDs returns the ids of a text's first tokens, between [CLS] and [SEP]: at most most ids, including these
// two.
func (v *Vocabulary) IDs(text string, most int) []int64 {
	out := append(make([]int64, 0, min(most, len(text)/4+2)), int64(v.start))
	for word := range words(normalised(text)) {
		for _, id := range v.pieces(word) {
			if len(out) == most-1 {
				return append(out, int64(v.end))
			}
			out = append(out, int64(id))
		}
	}
	return append(out, int64(v.end))
}

// pieces returns the tokens of a word.
func (v *Vocabulary) pieces(word string) []int32 {
	if id, whole := v.ids[word]; whole && utf8.RuneCountInString(word) <= longestWord {
		return []int32{id}
	}
	if ids, known := v.seen[word]; known {
		return ids
	}
	ids := v.cut(word)
	if len(v.seen) < remembered {
		v.seen[strings.Clone(word)] = ids
	}
	return ids
}

// cut repeatedly takes the longest token that the rest of the word starts with. The word is unknown
// if there is none.
func (v *Vocabulary) cut(word string) []int32 {
	if utf8.RuneCountInString(word) > longestWord {
		return []int32{v.unknown}
	}
	var out []int32
	piece := make([]byte, 0, len(inside)+len(word))
	for from := 0; from < len(word); {
		piece = piece[:0]
		if from > 0 {
			piece = append(piece, inside...)
		}
		before := len(piece)
		piece = append(piece, word[from:]...)
		for {
			id, there := v.ids[string(piece)]
			if there {
				out = append(out, id)
				break
			}
			_, size := utf8.DecodeLastRune(piece[before:])
			if piece = piece[:len(piece)-size]; len(piece) == before {
				return []int32{v.unknown}
			}
		}
		from += len(piece) - before
	}
	return out
}

// normalised returns a text in lower case without accents, control characters and line ends, with
// spaces around Chinese characters.
func normalised(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	plain := true
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf && r >= ' ' && r != 0x7f:
			b.WriteRune(r)
		case r == '\t' || r == '\n' || r == '\r':
			b.WriteByte(' ')
		case r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case chinese(r):
			plain = false
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			plain = plain && r < utf8.RuneSelf
			b.WriteRune(r)
		}
	}
	if plain {
		return strings.ToLower(b.String())
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(b.String()))
}

// chinese reports whether a character is an ideograph, which is a word by itself.
func chinese(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0xf900 && r <= 0xfaff ||
		r >= 0x20000 && r <= 0x2a6df || r >= 0x2a700 && r <= 0x2b81f || r >= 0x2b920 && r <= 0x2ceaf || r >= 0x2f800 &&
		r <= 0x2fa1f
}

// words yields the words between spaces, and each punctuation character by itself.
func words(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := -1
		for at, r := range text {
			space, sign := unicode.IsSpace(r), punctuation(r)
			if !space && !sign {
				if start < 0 {
					start = at
				}
				continue
			}
			if start >= 0 && !yield(text[start:at]) {
				return
			}
			start = -1
			if sign && !yield(text[at:at+utf8.RuneLen(r)]) {
				return
			}
		}
		if start >= 0 {
			yield(text[start:])
		}
	}
}

// punctuation reports whether a character is a word by itself. In ASCII these are all characters except
// letters, digits and spaces.
func punctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < 0x7f && !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}
	return unicode.IsPunct(r)
}
