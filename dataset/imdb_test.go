package dataset

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func reviews() []entry {
	return []entry{
		{name: "aclImdb/README", content: "about"},
		{name: "aclImdb/train/unsup/0_0.txt", content: "without a label"},
		{name: "aclImdb/train/urls_pos.txt", content: "addresses"},
		{name: "aclImdb/train/labeledBow.feat", content: "9 0:9"},
		{name: "aclImdb/test/pos/3_10.txt", content: "GOOD"},
		{name: "aclImdb/train/pos/1_9.txt", content: "good film, good!\tsee it\n"},
		{name: "aclImdb/train/neg/0_2.txt", content: "Bad, BAD film.<br />Don't see it"},
		{name: "aclImdb/test/neg/2_1.txt", content: "bad-bad unseen film"},
	}
}

// Ids by hand: bad, film, good, it, see come twice (4 to 8), br and don't once
// (9, 10), "unseen" in no training review.
func TestReadIMDB(t *testing.T) {
	isolate(t)
	root := save(t, "aclImdb_v1.tar.gz", tarGz(t, reviews()))
	folder := t.TempDir()
	unpack(t, filepath.Join(folder, "imdb"), reviews())
	for _, root := range []string{root, root, folder} { // the second from the cache
		d, err := Open("imdb", Options{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		row := func(s Split, k int) string {
			return strings.TrimLeft(strings.Trim(fmt.Sprint(s.Tokens[k*400:(k+1)*400]), "[]"), "0 ")
		}
		if d.Train.X != nil || len(d.Train.Tokens) != 800 || !slices.Equal(d.Train.Shape, []int{400}) {
			t.Fatalf("%d bytes, %d tokens, shape %v", len(d.Train.X), len(d.Train.Tokens), d.Train.Shape)
		}
		got := []string{row(d.Train, 0), row(d.Train, 1), row(d.Test, 0), row(d.Test, 1)}
		if want := []string{"1 4 4 5 9 10 8 7", "1 6 5 6 8 7", "1 4 4 5", "1 6"}; !slices.Equal(got, want) {
			t.Errorf("ids %q, want %q", got, want)
		}
		if !slices.Equal(d.Train.Labels, []int{0, 1}) || !slices.Equal(d.Test.Labels, []int{0, 1}) || !slices.Equal(d.Classes, []string{"neg", "pos"}) {
			t.Errorf("labels %v and %v of %q", d.Train.Labels, d.Test.Labels, d.Classes)
		}
		if want := strings.Fields("<padding> <start> <unknown> <unused> bad film good it see br don't"); !slices.Equal(d.Words, want) {
			t.Errorf("words %q, want %q", d.Words, want)
		}
		if len(d.Files) != 1 || !strings.HasPrefix(d.Files[0].Path, root) || len(d.Files[0].SHA256) != 64 {
			t.Errorf("files %v", d.Files)
		}
	}
}

// The order in the archive, which differs between copies, changes nothing.
func TestIMDBOrder(t *testing.T) {
	isolate(t)
	entries := reviews()
	slices.Reverse(entries)
	a, err := Open("imdb", Options{Root: save(t, "aclImdb_v1.tar.gz", tarGz(t, reviews()))})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open("imdb", Options{Root: save(t, "aclImdb_v1.tar.gz", tarGz(t, entries))})
	if err != nil {
		t.Fatal(err)
	}
	if a.Files[0].SHA256 == b.Files[0].SHA256 {
		t.Fatal("the archives are the same")
	}
	if !slices.Equal(a.Train.Tokens, b.Train.Tokens) || !slices.Equal(a.Test.Tokens, b.Test.Tokens) || !slices.Equal(a.Words, b.Words) {
		t.Error("another order of members gives other tokens")
	}
}

func TestIMDBRefuses(t *testing.T) {
	isolate(t)
	for _, test := range []struct {
		name    string
		entries []entry
		want    string
	}{
		{"not UTF-8", replace(reviews(), entry{name: "aclImdb/test/neg/2_1.txt", content: "caf\xe9"}), "aclImdb/test/neg/2_1.txt: not UTF-8 text: 0xe9 at byte 3"},
		{"a class without reviews", without(reviews(), "aclImdb/train/pos/1_9.txt"), "train: no review pos/*.txt"},
		{"no test reviews", without(without(reviews(), "aclImdb/test/neg/2_1.txt"), "aclImdb/test/pos/3_10.txt"), "test: no review neg/*.txt"},
		{"another archive", []entry{{name: "readme", content: "x"}}, "train: no review neg/*.txt"},
		{"twice", append(reviews(), reviews()[5]), "aclImdb/train/pos/1_9.txt is there twice"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := save(t, "aclImdb_v1.tar.gz", tarGz(t, test.entries))
			_, err := Open("imdb", Options{Root: root})
			wants(t, err, "dataset: imdb: "+filepath.Join(root, "aclImdb_v1.tar.gz"), test.want)
		})
	}
}

// 4996 words have ids of their own, 4 to 4999.
func TestTokenizerVocabulary(t *testing.T) {
	tok := newTokenizer()
	var text strings.Builder
	for k := range 6000 {
		fmt.Fprintf(&text, "w%04d ", k)
	}
	numbers := tok.add([]byte(text.String()+"w5999 w5999 w5998"), true)
	ids, words := tok.ids(vocabulary)
	if len(words) != 5000 || words[4] != "w5999" || words[5] != "w5998" || words[6] != "w0000" || words[4999] != "w4993" {
		t.Errorf("%d words: %q ... %q", len(words), words[:7], words[len(words)-1])
	}
	if got := []int32{ids[numbers[5999]], ids[numbers[0]], ids[numbers[4993]], ids[numbers[4994]]}; !slices.Equal(got, []int32{4, 6, 4999, 2}) {
		t.Errorf("ids %v", got)
	}
}

func TestTokenizerWords(t *testing.T) {
	// keras.preprocessing.text.text_to_word_sequence, Python 2, on bytes.
	const text = "It's \"GREAT\"--10/10!<br /><br />Caf\u00c9 n\u00ba_1\r a\u00a0b\tEND"
	want := []string{"it's", "great", "10", "10", "br", "br", "caf\u00c9", "n\u00ba", "1\r", "a\u00a0b", "end"}
	tok := newTokenizer()
	var got []string
	for _, n := range tok.add([]byte(text), false) {
		got = append(got, tok.words[n])
	}
	if !slices.Equal(got, want) {
		t.Errorf("words %q, want %q", got, want)
	}
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
		sequence(row, test.numbers, ids)
		if !slices.Equal(row, test.want) {
			t.Errorf("%v: %v, want %v", test.numbers, row, test.want)
		}
	}
}
