// Package dataset reads data sets in the formats in which they are published
// and hands them on as bytes and class numbers.
//
// Open looks for the files of a data set in the folder it is given, then in
// $LOSSCORR_DATA, ./data, the user's cache folder and the program itself, checks them to the last
// byte, and returns a training and a test split:
//
//	data, err := dataset.Open("mnist", dataset.Options{})
//	if err != nil {
//		return err // names the file and the place, or the folders searched
//	}
//	fmt.Println(data.Classes)         // [0 1 2 3 4 5 6 7 8 9]
//	fmt.Println(data.Train.Len())     // 60000
//	fmt.Println(data.Train.Shape)     // [784]
//	pixels := data.Train.Example(0)   // 784 bytes, 0 to 255
//	digit := data.Train.Labels[0]
//
// Values stay bytes; scaling them is the model's affair. Labels are as
// published: noise is injected later, by package correction.
//
// A new data set is a file that reads it and a line in the table formats.
package dataset
