// Package shell quotes words for a shell.
package shell

import "strings"

// Join returns a command line of words, quoted by Word.
func Join(words ...string) string {
	quoted := make([]string, len(words))
	for k, word := range words {
		quoted[k] = Word(word)
	}
	return strings.Join(quoted, " ")
}

// Word returns a word of a command line, in quotes if it contains a space or another
// special character of the shell.
func Word(word string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+:,=@%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
