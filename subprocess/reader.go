package subprocess

import "bytes"

// lineReader cuts what a process writes into lines. Past a line that is too
// long nothing is read any more.
type lineReader struct {
	limit    int
	line     func([]byte)
	overflow func()
	buf      []byte
	over     bool
}

// Write never fails.
func (r *lineReader) Write(p []byte) (int, error) {
	n := len(p)
	for i := 0; !r.over && i < len(p); {
		end := bytes.IndexByte(p[i:], '\n')
		if end < 0 {
			r.keep(p[i:])
			break
		}
		r.keep(p[i : i+end])
		if !r.over {
			r.line(r.buf)
		}
		r.buf = r.buf[:0]
		i += end + 1
	}
	return n, nil
}

func (r *lineReader) keep(p []byte) {
	if len(r.buf)+len(p) > r.limit {
		r.over = true
		r.overflow()
		return
	}
	r.buf = append(r.buf, p...)
}
