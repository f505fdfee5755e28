package nn

// StoreChannelsLast lays the weight out as NewConv2d does on a GPU.
func (c *Conv2d) StoreChannelsLast() { c.channelsLast() }
