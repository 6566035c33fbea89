package discord

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
)

// chunk is more than the decompressor's window, so that one Read takes all that it has decoded: only then does an empty
// source mean that the payload is complete, and only then is it never read past its end, an error from which it would
// not recover.
const chunk = 64 << 10

var (
	flushMark = []byte{0, 0, 0xff, 0xff}
	errBomb   = errors.New("a payload is too long when decompressed")
)

// inflater undoes zlib-stream: one context for the connection, each payload ended by a flush (protocol A21).
type inflater struct {
	limit   int
	pending bytes.Buffer
	z       io.ReadCloser
	scratch []byte
}

func newInflater(limit int) *inflater { return &inflater{limit: limit, scratch: make([]byte, chunk)} }

// add takes in one binary message and gives the payload it completes; nil if it completes none. After an error the
// connection is of no use any more.
func (f *inflater) add(b []byte) ([]byte, error) {
	f.pending.Write(b)
	if !bytes.HasSuffix(f.pending.Bytes(), flushMark) {
		if f.pending.Len() > f.limit {
			return nil, errBomb
		}
		return nil, nil
	}
	if f.z == nil {
		z, err := zlib.NewReader(&f.pending)
		if err != nil {
			return nil, fmt.Errorf("begin zlib stream: %w", err)
		}
		f.z = z
	}
	var out []byte
	for f.pending.Len() > 0 {
		n, err := f.z.Read(f.scratch)
		out = append(out, f.scratch[:n]...)
		switch {
		case err != nil:
			return nil, fmt.Errorf("read zlib stream: %w", err)
		case len(out) > f.limit:
			return nil, errBomb
		}
	}
	return out, nil
}

// inflate undoes the compression of one payload on its own (protocol A21).
func inflate(b []byte, limit int) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("begin zlib payload: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(z, int64(limit)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read zlib payload: %w", err)
	case len(out) > limit:
		return nil, errBomb
	}
	return out, nil
}
