package published_test

import (
	"fmt"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
)

func ExampleOpen() {
	data, err := published.Open("mnist", dataset.Options{Root: "../../../data"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(data.Train.Len(), "training and", data.Test.Len(), "test examples of shape", data.Train.Shape)
	fmt.Println("the first is a", data.Classes[data.Train.Labels[0]])
	// Output:
	// 60000 training and 10000 test examples of shape [784]
	// the first is a 5
}

func ExampleOpen_misspelt() {
	_, err := published.Open("mnits", dataset.Options{})
	fmt.Println(err)
	// Output:
	// dataset: unknown data set "mnits" (known: mnist, imdb, cifar10, cifar100, clothing1m, clothing1m-clean, own)
}
