package tensorboard

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// HParams are the settings of a run by name, which TensorBoard's page HPARAMS shows beside
// its scalars. A value is a string, bool or float64; another is written as text.
type HParams map[string]any

// The field numbers of tensorboard/plugins/hparams/plugin_data.proto, api.proto,
// google/protobuf/struct.proto and tensorflow's tensor.proto, shifted by the wire type.
const (
	valueTensor    = 8<<3 | lengthed
	tensorDType    = 1<<3 | varint
	tensorShape    = 2<<3 | lengthed
	shapeDim       = 2<<3 | lengthed
	pluginContent  = 2<<3 | lengthed
	dataSession    = 3<<3 | lengthed // HParamsPluginData.session_start_info
	sessionHParams = 1<<3 | lengthed
	sessionStart   = 5<<3 | fixed64 // seconds since 1970
	entryKey       = 1<<3 | lengthed
	entryValue     = 2<<3 | lengthed
	protoNumber    = 2<<3 | fixed64
	protoString    = 3<<3 | lengthed
	protoBool      = 4<<3 | varint
	float32Type    = 1
)

// sessionTag is the tag of the summary that holds the hparams.
const sessionTag = "_hparams_/session_start_info"

// encode returns the event that TensorBoard's hparams plugin reads: a summary without a
// value, whose metadata hold the settings in the order of their names.
func (h HParams) encode(start time.Time) []byte {
	var session []byte
	for _, name := range slices.Sorted(maps.Keys(h)) {
		var value []byte
		switch v := h[name].(type) {
		case float64:
			value = binary.LittleEndian.AppendUint64([]byte{protoNumber}, math.Float64bits(v))
		case bool:
			value = []byte{protoBool, 0}
			if v {
				value[1] = 1
			}
		default:
			value = appendBytes(nil, protoString, []byte(fmt.Sprint(v)))
		}
		entry := appendBytes(nil, entryKey, []byte(name))
		session = appendBytes(session, sessionHParams, appendBytes(entry, entryValue, value))
	}
	session = binary.LittleEndian.AppendUint64(append(session, sessionStart), math.Float64bits(seconds(start)))

	plugin := appendBytes(nil, pluginName, []byte("hparams"))
	plugin = appendBytes(plugin, pluginContent, appendBytes(nil, dataSession, session))
	metadata := appendBytes(nil, metadataPlugin, plugin)
	tensor := appendBytes([]byte{tensorDType, float32Type}, tensorShape, appendBytes(nil, shapeDim, nil)) // of no elements
	value := appendBytes(nil, valueTag, []byte(sessionTag))
	value = appendBytes(value, valueTensor, tensor)
	value = appendBytes(value, valueMetadata, metadata)
	return appendBytes(appendTime(nil, start), eventSummary, appendBytes(nil, summaryValue, value))
}
