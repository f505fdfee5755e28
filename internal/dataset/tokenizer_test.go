package dataset

import (
	"fmt"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// 4996 words have ids of their own, 4 to 4999.
func TestTokenizerVocabulary(t *testing.T) {
	tok := NewTokenizer()
	var text strings.Builder
	for k := range 6000 {
		fmt.Fprintf(&text, "w%04d ", k)
	}
	numbers := tok.Add([]byte(text.String() + "w5999 w5999 w5998"))
	tok.Count(numbers)
	ids, words := tok.IDs(5000)
	if len(words) != 5000 || words[4] != "w5999" || words[5] != "w5998" || words[6] != "w0000" || words[4999] != "w4993" {
		t.Errorf("%d words: %q ... %q", len(words), words[:7], words[len(words)-1])
	}
	expect.Same(t, []int32{4, 6, 4999, 2},
		[]int32{ids[numbers[5999]], ids[numbers[0]], ids[numbers[4993]], ids[numbers[4994]]})
}

func TestTokenizerWords(t *testing.T) {
	// keras.preprocessing.text.text_to_word_sequence, Python 2, on bytes, but for the carriage return.
	const text = "It's \"GREAT\"--10/10!<br /><br />Caf\u00c9 n\u00ba_1\r a\u00a0b\tEND"
	want := []string{"it's", "great", "10", "10", "br", "br", "caf\u00c9", "n\u00ba", "1", "a\u00a0b", "end"}
	tok := NewTokenizer()
	var got []string
	for _, n := range tok.Add([]byte(text)) {
		got = append(got, tok.Words[n])
	}
	expect.Same(t, want, got)
}

// The start counts among the tokens and is cut off first.
func TestSequence(t *testing.T) {
	ids := []int32{10, 11, 12, 0, 14}
	for _, test := range []struct{ numbers, want []int32 }{
		{nil, []int32{0, 0, 0, 1}},
		{[]int32{0, 1}, []int32{0, 1, 10, 11}},
		{[]int32{0, 1, 2}, []int32{1, 10, 11, 12}},
		{[]int32{0, 1, 2, 4}, []int32{10, 11, 12, 14}},
		{[]int32{0, 1, 2, 4, 4}, []int32{11, 12, 14, 14}},
		{[]int32{0, 3, 1}, []int32{0, 1, 10, 11}},
		{[]int32{3, 0, 1, 2, 4}, []int32{10, 11, 12, 14}},
	} {
		row := make([]int32, 4)
		Sequence(row, test.numbers, ids)
		expect.Same(t, test.want, row, test.numbers)
	}
}
