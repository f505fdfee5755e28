// Package shell quotes words for a shell.
package shell

import "strings"

// Split returns the words of a command line of words that Word has returned.
func Split(line string) (words []string) {
	word, inside, quoted := "", false, false
	for k := 0; k < len(line); k++ {
		switch c := line[k]; {
		case c == '\'':
			inside, quoted = true, !quoted
		case c == ' ' && !quoted:
			if inside {
				words = append(words, word)
			}
			word, inside = "", false
		case c == '\\' && !quoted && k+1 < len(line):
			k++
			word, inside = word+line[k:k+1], true
		default:
			word, inside = word+line[k:k+1], true
		}
	}
	if inside {
		words = append(words, word)
	}
	return words
}

// Word returns a word of a command line, in quotes if it contains a space or another
// character with a meaning for the shell.
func Word(word string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+:,=@%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
