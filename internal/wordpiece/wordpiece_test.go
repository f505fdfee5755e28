package wordpiece

import (
	"slices"
	"strings"
	"testing"
)

// vocabulary is a small vocabulary in BERT's format.
const vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n!\n.\na\nb\nfilm\n##s\n##ma\nfi\n##lm\ncafe\nun\n##ab\n##le\n你\n好\n<\n>\nbr\n/\n'\nt\ndon\nab\nß\n"

// Tokens of Hugging Face's tokenizers with this vocabulary (BertWordPieceTokenizer 0.23.3).
func TestIDs(t *testing.T) {
	v, err := Read(strings.NewReader(vocabulary))
	if err != nil {
		t.Fatal(err)
	}
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
		if words := strings.Join(got[1:len(got)-1], " "); words != want {
			t.Errorf("%q: %q, want %q", text, words, want)
		}
		if again := v.IDs(text, 16); !slices.Equal(again, ids) {
			t.Errorf("%q: again %v, before %v", text, again, ids)
		}
	}
	if len(v.ids) != len(tokens)-1 {
		t.Errorf("%d tokens, want %d", len(v.ids), len(tokens)-1)
	}
	for name, bad := range map[string]string{"no [SEP]": "[PAD]\n[UNK]\n[CLS]\n",
		"[PAD] not first": "a\n[PAD]\n[UNK]\n[CLS]\n[SEP]\n", "twice": "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\na\n", "empty": ""} {
		if _, err := Read(strings.NewReader(bad)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
