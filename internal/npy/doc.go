// Package npy reads and writes arrays in NumPy's format, NPY, versions 1 to 3:
//
//	a, err := npy.Open("X.npy") // reads the header and checks the size of the file
//	if err != nil {
//		return err
//	}
//	defer a.Close()
//	fmt.Println(a.Type, a.Shape) // float16 [1000000 512]
//	x, err := a.Float32s()
//
// The elements may be booleans, integers of 1 to 8 bytes, floats of 2 to 8 bytes, or
// strings (<U, |S), in either byte order. Arrays in Fortran order are read in C order.
// Pickled objects, complex numbers, dates and records are refused.
//
// The format is described in numpy.lib.format.
package npy
