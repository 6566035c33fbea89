package discordsim

import (
	"bytes"
	"compress/zlib"
	"fmt"
)

// squeezer turns a payload into the bytes of one binary frame of a compressed stream.
type squeezer func(payload []byte) []byte

// newSqueezer makes the stream a client asked for with its `compress` parameter (A21). None is nil.
func newSqueezer(name string) (squeezer, error) {
	switch name {
	case "":
		return nil, nil
	case "zlib-stream":
		return zlibStream(), nil
	case "zstd-stream":
		return zstdStream(), nil
	}
	return nil, fmt.Errorf("compress %q: unknown", name)
}

// zlibStream shares one deflate context; each payload ends with 00 00 ff ff.
func zlibStream() squeezer {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	return func(payload []byte) []byte {
		b.Reset()
		_, _ = z.Write(payload)
		_ = z.Flush()
		return b.Bytes()
	}
}

// Bounds of the one zstd frame a connection carries (RFC 8878): a window of 128 KiB, blocks no larger.
const (
	zstdWindow = 7 << 3 // exponent 7: 2^(10+7) bytes
	zstdBlock  = 128 << 10
)

// zstdStream writes one zstd frame that never ends, its blocks stored as they are. Any decoder reads it, and
// the simulator needs no compressor for it.
func zstdStream() squeezer {
	begun := false
	return func(payload []byte) []byte {
		var b []byte
		if !begun {
			begun = true
			b = append(b, 0x28, 0xB5, 0x2F, 0xFD, 0x00, zstdWindow)
		}
		for len(payload) > 0 {
			n := min(len(payload), zstdBlock)
			head := n << 3 // not the last block, type raw
			b = append(b, byte(head), byte(head>>8), byte(head>>16))
			b = append(b, payload[:n]...)
			payload = payload[n:]
		}
		return b
	}
}

// zlibPayload compresses one payload by itself, as Identify with `compress` allows.
func zlibPayload(payload []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(payload)
	_ = z.Close()
	return b.Bytes()
}
