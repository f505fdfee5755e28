package humanize

import (
	"fmt"
	"strings"
)

// Ranges formats ascending numbers as ranges in Slurm's form: 0-9,12,14-15.
func Ranges[N ~int | ~uint64](numbers []N) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		part := fmt.Sprint(numbers[i])
		if j > i {
			part += "-" + fmt.Sprint(numbers[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}
