// Package dataset has the types of labelled data. A [Dataset] has a training and a test
// [Split]: examples as bytes, tokens or numbers, with class numbers as labels.
//
// The packages below it read data:
//
//	dataset/published  the data sets of the paper, with their download
//	dataset/own        a user's own data: images, tables, arrays, or only labels
//	dataset/check      problems in data, before training
//	dataset/picture    images, from files to pixels
//	dataset/archive    folders and archives of files, and the cache of decoded data
//
// An example:
//
//	data, err := published.Open("cifar10", dataset.Options{})
//	if err != nil {
//		return err // names the file and the place, or the folders searched
//	}
//	fmt.Println(data.Classes[:3])     // [airplane automobile bird]
//	fmt.Println(data.Train.Len())     // 50000
//	fmt.Println(data.Train.Shape)     // [3 32 32]
//	pixels := data.Train.Example(0)   // 3072 bytes, 0 to 255: red, green, blue
//	class := data.Train.Labels[0]
//
// Data that is too large for memory has Images instead of X. They are decoded in parallel
// while they are used, in the requested order:
//
//	for pixels, err := range data.Train.Images.Batches(rows, 32) {
//		if err != nil {
//			return err
//		}
//		step(pixels) // 32 x 3 x 256 x 256 bytes, until the next turn
//	}
//
// Pixels stay bytes; package pipeline scales them. Labels are as published; package
// correction adds noise later. Errors in the data are [ErrData].
package dataset
