package subprocess

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// answer collects the standard output of a process up to a limit; past it the
// rest is dropped and overflow is called, once.
type answer struct {
	limit    int
	overflow func()
	buf      bytes.Buffer
	over     bool
}

// Write never fails.
func (a *answer) Write(p []byte) (int, error) {
	if room := a.limit - a.buf.Len(); len(p) > room {
		a.buf.Write(p[:room])
		if !a.over {
			a.over = true
			a.overflow()
		}
		return len(p), nil
	}
	return a.buf.Write(p)
}

// text is what was written, without white space at its end, and whether bytes
// that are no UTF-8 had to be replaced.
func (a *answer) text() (text string, repaired bool) {
	s := strings.TrimRight(a.buf.String(), " \t\r\n")
	if utf8.ValidString(s) {
		return s, false
	}
	return strings.ToValidUTF8(s, "\uFFFD"), true
}
