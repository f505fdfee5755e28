// Package dataset reads data sets in the formats in which they are published
// and hands them on as bytes or tokens, and class numbers.
//
// Open looks for the files of a data set in the folder it is given, then in
// $LOSSCORR_DATA, ./data, the user's cache folder and the program itself, checks
// them to the last byte, and returns a training and a test split:
//
//	data, err := dataset.Open("cifar10", dataset.Options{})
//	if err != nil {
//		return err // names the file and the place, or the folders searched
//	}
//	fmt.Println(data.Classes[:3])     // [airplane automobile bird]
//	fmt.Println(data.Train.Len())     // 50000
//	fmt.Println(data.Train.Shape)     // [3 32 32]
//	pixels := data.Train.Example(0)   // 3072 bytes, 0 to 255: red, green, blue
//	class := data.Train.Labels[0]
//
// What there is:
//
//	name      an example                          read from
//	mnist     784 bytes                           four idx files, packed or not
//	cifar10   3 x 32 x 32 bytes                   cifar-10-binary.tar.gz, or its folder, or JPEG or PNG files
//	cifar100  3 x 32 x 32 bytes, super-classes    cifar-100-binary.tar.gz, or its folder
//	imdb      400 tokens in [0, 5000)             aclImdb_v1.tar.gz, or its folder
//
// OpenImages reads images of one's own. Archives are streamed, never unpacked
// to disk; one that holds links, or names that lead out of it, is refused. What
// takes long to unpack or decode is kept in the folder losscorr of
// the user's cache folder, as a file named after the hash of the archive; it may
// be deleted at any time.
//
// Values stay bytes; scaling them is the model's affair. Labels are as
// published: noise is injected later, by package correction.
//
// A new data set is a file that reads it and a line in the table formats.
package dataset
