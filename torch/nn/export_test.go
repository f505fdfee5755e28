package nn

// StoreChannelsLast lays the weight out like NewConv2d on a GPU.
func (c *Conv2d) StoreChannelsLast() { c.channelsLast() }
