package audit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// WriteProbabilities writes probabilities.npy: posteriors [N C], one after the other,
// in the order of the data.
func (f *Folder) WriteProbabilities(values []float32, classes int) error {
	if classes < 1 || len(values)%classes != 0 {
		return fmt.Errorf("write %s: %d values for %d classes", f.Path(ProbabilitiesFile), len(values), classes)
	}
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", len(values)/classes, classes)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	data := make([]byte, 0, 10+len(header)+4*len(values))
	data = append(append(data, "\x93NUMPY\x01\x00"...), byte(len(header)), byte(len(header)>>8))
	data = append(data, header...)
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return f.write(ProbabilitiesFile, data)
}

var npyShape = regexp.MustCompile(`'descr': '<f4'.*'fortran_order': False.*'shape': \((\d+), (\d+)\)`)

// Probabilities reads probabilities.npy.
func (f *Folder) Probabilities() (values []float32, classes int, err error) {
	data, err := f.read(ProbabilitiesFile)
	if err != nil {
		return nil, 0, err
	}
	if len(data) < 10 || !bytes.HasPrefix(data, []byte("\x93NUMPY\x01")) {
		return nil, 0, f.damaged(ProbabilitiesFile, "not a file of NumPy")
	}
	end := min(len(data), 10+int(binary.LittleEndian.Uint16(data[8:])))
	m := npyShape.FindSubmatch(data[10:end])
	if m == nil {
		return nil, 0, f.damaged(ProbabilitiesFile, "not an array [N C] of float32")
	}
	n, _ := strconv.Atoi(string(m[1]))
	classes, _ = strconv.Atoi(string(m[2]))
	data = data[end:]
	if classes < 1 || n > len(data) || len(data) != 4*n*classes {
		return nil, 0, f.damaged(ProbabilitiesFile, "%d bytes for an array [%d %d] of float32", len(data), n, classes)
	}
	values = make([]float32, n*classes)
	for k := range values {
		values[k] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*k:]))
	}
	return values, classes, nil
}
