package wordpiece

import (
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// vocabulary is a small vocabulary in BERT's format.
const vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n!\n.\na\nb\nfilm\n##s\n##ma\nfi\n##lm\ncafe\nun\n##ab\n##le\n你\n好\n<\n>\nbr\n/\n'\nt\ndon\nab\nß\n"

// Tokens of Hugging Face's tokenizers with this vocabulary (BertWordPieceTokenizer 0.23.3).
func TestIDs(t *testing.T) {
	v := expect.Got(Read(strings.NewReader(vocabulary)))(t)
	tokens := strings.Split(vocabulary, "\n")
	for text, want := range map[string]string{
		"":                               "",
		"A film.":                        "a film .",
		"FILMS, films!":                  "film ##s [UNK] film ##s !",
		"filma":                          "[UNK]",
		"filmma":                         "film ##ma",
		"unable unablex":                 "un ##ab ##le [UNK]",
		"Café CAFE\u0301":                "cafe cafe",
		"<br />don't":                    "< br / > don ' t",
		"你好a":                            "你 好 a",
		"a\x00b a\u200bb a\vb":           "ab ab ab",
		"a\tb\u00a0a\u2003b":             "a b a b",
		"ß ẞ":                            "ß ß",
		"\xff\ufffda":                    "a",
		"film" + strings.Repeat("s", 97): "[UNK]",
		"film" + strings.Repeat("s", 96): "film" + strings.Repeat(" ##s", 13),
		"[SEP]":                          "[UNK] [UNK] [UNK]",
		strings.Repeat("a b ", 9):        "a b a b a b a b a b a b a b",
	} {
		ids := v.IDs(text, 16)
		var got []string
		for _, id := range ids {
			got = append(got, tokens[id])
		}
		if got[0] != "[CLS]" || got[len(got)-1] != "[SEP]" {
			t.Fatalf("%q: %q", text, got)
		}
		expect.Same(t, want, strings.Join(got[1:len(got)-1], " "), text)
		expect.Same(t, ids, v.IDs(text, 16), text)
	}
	expect.Same(t, len(tokens)-1, len(v.ids))
	for bad, want := range map[string]string{"[PAD]\n[UNK]\n[CLS]\n": "lacks [SEP]",
		"a\n[PAD]\n[UNK]\n[CLS]\n[SEP]\n":    "does not start with [PAD]",
		"[PAD]\n[UNK]\n[CLS]\n[SEP]\na\na\n": `has "a" twice`, "": "lacks ["} {
		expect.Says(t, expect.Err(Read(strings.NewReader(bad))), want)
	}
}
