package tensorboard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

// Event holds the scalars of one step.
type Event struct {
	Time    time.Time
	Step    int64
	Scalars []Scalar
}

// Scalar is a number with a name; a slash in the name groups scalars.
type Scalar struct {
	Tag   string
	Value float64 // kept as float32
}

// version is the file_version of the first event.
const version = "brain.Event:2"

// The field numbers of tensorflow/core/util/event.proto and
// tensorflow/core/framework/summary.proto, shifted by the wire type.
const (
	eventWallTime    = 1<<3 | fixed64
	eventStep        = 2<<3 | varint
	eventFileVersion = 3<<3 | lengthed
	eventSummary     = 5<<3 | lengthed
	summaryValue     = 1<<3 | lengthed
	valueTag         = 1<<3 | lengthed
	valueSimple      = 2<<3 | fixed32
	valueMetadata    = 9<<3 | lengthed
	metadataPlugin   = 1<<3 | lengthed
	pluginName       = 1<<3 | lengthed

	varint   = 0
	fixed64  = 1
	lengthed = 2
	fixed32  = 5
)

// scalarsPlugin is the SummaryMetadata that makes a value a scalar.
var scalarsPlugin = appendBytes(nil, metadataPlugin, appendBytes(nil, pluginName, []byte("scalars")))

func appendBytes(b []byte, field byte, data []byte) []byte {
	b = binary.AppendUvarint(append(b, field), uint64(len(data)))
	return append(b, data...)
}

func appendTime(b []byte, t time.Time) []byte {
	return binary.LittleEndian.AppendUint64(append(b, eventWallTime), math.Float64bits(seconds(t)))
}

// seconds since 1970, as wall_time counts, exact to a microsecond until 2100.
func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// encodeVersion returns the first event of a file.
func encodeVersion(start time.Time) []byte {
	return appendBytes(appendTime(nil, start), eventFileVersion, []byte(version))
}

func (e Event) encode() []byte {
	var summary []byte
	for _, s := range e.Scalars {
		value := appendBytes(nil, valueTag, []byte(s.Tag))
		value = binary.LittleEndian.AppendUint32(append(value, valueSimple), math.Float32bits(float32(s.Value)))
		value = appendBytes(value, valueMetadata, scalarsPlugin)
		summary = appendBytes(summary, summaryValue, value)
	}
	b := appendTime(nil, e.Time)
	b = binary.AppendUvarint(append(b, eventStep), uint64(e.Step))
	return appendBytes(b, eventSummary, summary)
}

// decode reads an event; for the first event of a file it returns the version.
func decode(data []byte) (e Event, fileVersion string, err error) {
	err = fields(data, func(field byte, number uint64, data []byte) error {
		switch field {
		case eventWallTime:
			e.Time = time.UnixMicro(int64(math.Round(1e6 * math.Float64frombits(number)))).UTC()
		case eventStep:
			e.Step = int64(number)
		case eventFileVersion:
			fileVersion = string(data)
		case eventSummary:
			return fields(data, func(field byte, _ uint64, data []byte) error {
				if field != summaryValue {
					return nil
				}
				s, scalar, err := decodeScalar(data)
				if scalar {
					e.Scalars = append(e.Scalars, s)
				}
				return err
			})
		}
		return nil
	})
	return e, fileVersion, err
}

// decodeScalar also reports whether the value is a number at all.
func decodeScalar(data []byte) (s Scalar, scalar bool, err error) {
	err = fields(data, func(field byte, number uint64, data []byte) error {
		switch field {
		case valueTag:
			s.Tag = string(data)
		case valueSimple:
			s.Value, scalar = float64(math.Float32frombits(uint32(number))), true
		}
		return nil
	})
	return s, scalar, err
}

var errMessage = errors.New("event is not a protocol buffer")

// fields calls see for each field of a message, with its number or its bytes.
func fields(b []byte, see func(field byte, number uint64, data []byte) error) error {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 || key > math.MaxUint8 {
			return fmt.Errorf("%w: field %d", errMessage, key>>3)
		}
		b = b[n:]
		var number uint64
		var data []byte
		switch key & 7 {
		case varint, lengthed:
			if number, n = binary.Uvarint(b); n <= 0 {
				return errMessage
			}
			b = b[n:]
			if key&7 == lengthed {
				if number > uint64(len(b)) {
					return errMessage
				}
				data, b = b[:number], b[number:]
			}
		case fixed64:
			if len(b) < 8 {
				return errMessage
			}
			number, b = binary.LittleEndian.Uint64(b), b[8:]
		case fixed32:
			if len(b) < 4 {
				return errMessage
			}
			number, b = uint64(binary.LittleEndian.Uint32(b)), b[4:]
		default:
			return errMessage
		}
		if err := see(byte(key), number, data); err != nil {
			return err
		}
	}
	return nil
}
