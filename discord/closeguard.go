package discord

import (
	"bytes"
	"io"
	"net/http"
)

// closeGuard is a transport whose WebSocket connections cannot send a close frame of 1000 or 1001, which would end the
// session (C11). The library answers a close with the same code, as the standard asks; where that is one of the two,
// 4000 goes out instead.
type closeGuard struct{ base http.RoundTripper }

// RoundTrip is the base's, with the connection of an upgrade guarded.
func (g closeGuard) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := g.base.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		return resp, err
	}
	if conn, ok := resp.Body.(io.ReadWriteCloser); ok {
		resp.Body = guarded{conn}
		if knife, ok := r.Context().Value(knifeKey{}).(*knife); ok {
			knife.conn = conn
		}
	}
	return resp, nil
}

// knife cuts the connection beneath a WebSocket. The library's own way, a context for each read, costs more than the
// reading.
type knife struct{ conn io.Closer }

// knifeKey is what a dial's context carries its knife under.
type knifeKey struct{}

func (k *knife) cut() {
	if k.conn != nil {
		_ = k.conn.Close()
	}
}

// guarded is the connection after an upgrade.
type guarded struct{ io.ReadWriteCloser }

// Write sends what it is given. The library writes each frame that fits its buffer in one piece, a close frame always.
func (g guarded) Write(b []byte) (int, error) {
	const final, header, codeEnd = 0x80 | 8, 6, 8 // a close frame: opcode and length, four bytes of mask, the code
	if len(b) < codeEnd || b[0] != final || len(b) != header+int(b[1]&0x7f) {
		return g.ReadWriteCloser.Write(b)
	}
	mask := b[2:header]
	if code := int(b[6]^mask[0])<<8 | int(b[7]^mask[1]); code != 1000 && code != 1001 {
		return g.ReadWriteCloser.Write(b)
	}
	b = bytes.Clone(b)
	b[6], b[7] = byte(closeUnknown>>8)^mask[0], byte(closeUnknown&0xff)^mask[1]
	return g.ReadWriteCloser.Write(b)
}
