package dataset

import (
	"fmt"
	"unicode/utf8"
)

// CheckText returns an error if text is not UTF-8 or has a zero, as UTF-16 does, with the place and how to fix it.
func CheckText(text []byte) error {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 || r == 0 {
			return fmt.Errorf("not UTF-8 text: %#02x at byte %d, counted from 0: convert it (iconv -f ITS-ENCODING -t UTF-8)",
				text[at], at)
		}
		at += size
	}
	return nil
}
