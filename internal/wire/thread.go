package wire

// NewThread is the JSON of a request for the thread of a message (protocol B9).
func NewThread(name string) []byte { return encode(map[string]any{"name": name}) }
