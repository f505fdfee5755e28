package tensorboard

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// HParams are the settings of a run by name, which TensorBoard's page HPARAMS shows beside
// its scalars. A value is a string, bool or float64; another is written as text.
type HParams map[string]any

// The field numbers of tensorboard/plugins/hparams/plugin_data.proto, api.proto,
// google/protobuf/struct.proto and tensorflow's tensor.proto.
const (
	valueTensor    = 8
	tensorDType    = 1
	tensorShape    = 2
	shapeDim       = 2
	pluginContent  = 2
	dataSession    = 3 // HParamsPluginData.session_start_info
	sessionHParams = 1
	sessionStart   = 5 // seconds since 1970
	entryKey       = 1
	entryValue     = 2
	protoNumber    = 2
	protoString    = 3
	protoBool      = 4
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
			value = appendDouble(nil, protoNumber, v)
		case bool:
			value = appendVarint(nil, protoBool, protowire.EncodeBool(v))
		default:
			value = appendBytes(nil, protoString, []byte(fmt.Sprint(v)))
		}
		entry := appendBytes(nil, entryKey, []byte(name))
		session = appendBytes(session, sessionHParams, appendBytes(entry, entryValue, value))
	}
	session = appendDouble(session, sessionStart, seconds(start))

	plugin := appendBytes(nil, pluginName, []byte("hparams"))
	plugin = appendBytes(plugin, pluginContent, appendBytes(nil, dataSession, session))
	metadata := appendBytes(nil, metadataPlugin, plugin)
	tensor := appendBytes(appendVarint(nil, tensorDType, float32Type), tensorShape, appendBytes(nil, shapeDim, nil)) // of no elements
	value := appendBytes(nil, valueTag, []byte(sessionTag))
	value = appendBytes(value, valueTensor, tensor)
	value = appendBytes(value, valueMetadata, metadata)
	return appendBytes(appendDouble(nil, eventWallTime, seconds(start)), eventSummary, appendBytes(nil, summaryValue, value))
}
