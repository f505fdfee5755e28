package tensorboard

import (
	"errors"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
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
// tensorflow/core/framework/summary.proto.
const (
	eventWallTime    = 1
	eventStep        = 2
	eventFileVersion = 3
	eventSummary     = 5
	summaryValue     = 1
	valueTag         = 1
	valueSimple      = 2
	valueMetadata    = 9
	metadataPlugin   = 1
	pluginName       = 1
)

// scalarsPlugin is the SummaryMetadata that makes a value a scalar.
var scalarsPlugin = appendBytes(nil, metadataPlugin, appendBytes(nil, pluginName, []byte("scalars")))

func appendBytes(b []byte, field protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), data)
}

func appendVarint(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func appendDouble(b []byte, field protowire.Number, v float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), math.Float64bits(v))
}

func appendFloat(b []byte, field protowire.Number, v float32) []byte {
	return protowire.AppendFixed32(protowire.AppendTag(b, field, protowire.Fixed32Type), math.Float32bits(v))
}

// seconds since 1970, as wall_time counts, exact to a microsecond until 2100.
func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// encodeVersion returns the first event of a file.
func encodeVersion(start time.Time) []byte {
	return appendBytes(appendDouble(nil, eventWallTime, seconds(start)), eventFileVersion, []byte(version))
}

func (e Event) encode() []byte {
	var summary []byte
	for _, s := range e.Scalars {
		value := appendBytes(nil, valueTag, []byte(s.Tag))
		value = appendFloat(value, valueSimple, float32(s.Value))
		value = appendBytes(value, valueMetadata, scalarsPlugin)
		summary = appendBytes(summary, summaryValue, value)
	}
	b := appendDouble(nil, eventWallTime, seconds(e.Time))
	b = appendVarint(b, eventStep, uint64(e.Step))
	return appendBytes(b, eventSummary, summary)
}

// decode reads an event; for the first event of a file it returns the version.
func decode(data []byte) (e Event, fileVersion string, err error) {
	err = fields(data, func(field protowire.Number, number uint64, data []byte) error {
		switch field {
		case eventWallTime:
			e.Time = time.UnixMicro(int64(math.Round(1e6 * math.Float64frombits(number)))).UTC()
		case eventStep:
			e.Step = int64(number)
		case eventFileVersion:
			fileVersion = string(data)
		case eventSummary:
			return fields(data, func(field protowire.Number, _ uint64, data []byte) error {
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
	err = fields(data, func(field protowire.Number, number uint64, data []byte) error {
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
func fields(b []byte, see func(field protowire.Number, number uint64, data []byte) error) error {
	for len(b) > 0 {
		field, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return errMessage
		}
		b = b[size:]
		var number uint64
		var data []byte
		switch kind {
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			number, size = protowire.ConsumeFixed64(b)
		case protowire.Fixed32Type:
			var short uint32
			short, size = protowire.ConsumeFixed32(b)
			number = uint64(short)
		case protowire.BytesType:
			data, size = protowire.ConsumeBytes(b)
		default:
			return errMessage
		}
		if size < 0 {
			return errMessage
		}
		b = b[size:]
		if err := see(field, number, data); err != nil {
			return err
		}
	}
	return nil
}
