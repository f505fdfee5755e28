package command

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
)

const bashCompletion = `# losscorr completion for bash: source <(losscorr completion bash)
_losscorr() {
  local cur words
  cur="${COMP_WORDS[COMP_CWORD]}"
  words=$("${COMP_WORDS[@]:0:$COMP_CWORD}" --generate-bash-completion 2>/dev/null)
  COMPREPLY=($(compgen -W "$words" -f -- "$cur"))
}
complete -o bashdefault -o default -F _losscorr losscorr
`

const zshCompletion = `#compdef losscorr
# losscorr completion for zsh: source <(losscorr completion zsh)
_losscorr() {
  local -a words_
  words_=("${(@f)$("${(@)words[1,$CURRENT-1]}" --generate-bash-completion 2>/dev/null)}")
  _describe 'losscorr' words_
  _files
}
compdef _losscorr losscorr
`

var shells = []string{"bash", "zsh", "fish"}

func (p Program) completionCommand() *cli.Command {
	return &cli.Command{
		Name: "completion", Usage: "print completions for a shell", ArgsUsage: "bash | zsh | fish",
		Action: func(c *cli.Context) error {
			shell := c.Args().First()
			if c.NArg() != 1 || !slices.Contains(shells, shell) {
				return app.Misuse(c, "name a shell: bash, zsh or fish%s", config.Suggest(shell, shells))
			}
			text := bashCompletion
			switch shell {
			case "zsh":
				text = zshCompletion
			case "fish":
				var err error
				if text, err = c.App.ToFishCompletion(); err != nil {
					return fmt.Errorf("completions for fish: %w", err)
				}
			}
			_, err := fmt.Fprint(p.Stdout, text)
			return err
		},
	}
}
