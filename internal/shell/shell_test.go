package shell

import (
	"os/exec"
	"testing"
)

// The oracle is the shell itself.
func TestWord(t *testing.T) {
	for _, word := range []string{"runs/mnist", "a=b:c,d", "", "my runs", "o'2", "''", "$HOME `id` \"x\" \\", "*;&|<>()",
		"~", "é", "a\nb"} {
		out, err := exec.Command("sh", "-c", "printf %s "+Word(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q is %s, which sh reads as %q, %v", word, Word(word), out, err)
		}
	}
	if got := Join("cp", "a b", "c"); got != "cp 'a b' c" {
		t.Errorf("the command line is %s", got)
	}
	if got := Word("/azAZ09._-+:,=@%"); got != "/azAZ09._-+:,=@%" {
		t.Errorf("a plain word became %s", got)
	}
}
