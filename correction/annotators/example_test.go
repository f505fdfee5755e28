package annotators_test

import (
	"fmt"

	"github.com/losscorr/losscorr/correction/annotators"
)

// Ann and Bob agree on nine examples, and Cy contradicts both on each. Only Cy has answered the tenth, with cat.
func ExampleEstimate() {
	var list []annotators.Answer
	for i := range int32(9) {
		y := i % 2
		list = append(list,
			annotators.Answer{Task: i, Worker: 0, Label: y},
			annotators.Answer{Task: i, Worker: 1, Label: y},
			annotators.Answer{Task: i, Worker: 2, Label: 1 - y})
	}
	list = append(list, annotators.Answer{Task: 9, Worker: 2, Label: 0})
	answers, err := annotators.New(10, []string{"Ann", "Bob", "Cy"}, []string{"cat", "dog"}, list)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, method := range annotators.All.Names() {
		c, err := annotators.Estimate(answers, annotators.Options{Method: method})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: a %s, with probability %.1f\n", method, answers.Classes[c.Label[9]], c.Sure(9))
	}
	c, _ := annotators.Estimate(answers, annotators.Options{})
	for _, p := range annotators.People(answers, c, nil) {
		fmt.Println(p.Name, p.Answers, p.Verdict())
	}
	// Output:
	// transition: a dog, with probability 0.8
	// dawid-skene: a dog, with probability 1.0
	// majority: a cat, with probability 1.0
	// Ann 9 better than chance
	// Bob 9 better than chance
	// Cy 10 worse than chance
}
