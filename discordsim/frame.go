package discordsim

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// WebSocket opcodes (RFC 6455, 5.2).
const (
	wsContinuation = 0x0
	wsText         = 0x1
	wsBinary       = 0x2
	wsClose        = 0x8
	wsPing         = 0x9
	wsPong         = 0xA
)

// wsSecret is the constant every WebSocket server appends to the client's key.
const wsSecret = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

// errFrameTooBig ends a connection whose client sent more than it may (F10).
var errFrameTooBig = errors.New("frame too big")

// The simulator writes WebSocket itself, to be able to misbehave below the level a library allows: close
// frames without a code, cuts in mid-frame, handshakes whose TCP connection stays open.

// upgrade answers the opening handshake and takes the connection over.
func upgrade(w http.ResponseWriter, r *http.Request) (net.Conn, *bufio.Reader, error) {
	key := r.Header.Get("Sec-WebSocket-Key")
	if key == "" || !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		http.Error(w, "websocket upgrade expected", http.StatusUpgradeRequired)
		return nil, nil, fmt.Errorf("upgrade %s: no handshake", r.URL.Path)
	}
	hijacked, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, nil, fmt.Errorf("upgrade %s: %w", r.URL.Path, err)
	}
	sum := sha1.Sum([]byte(key + wsSecret))
	answer := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: " + base64.StdEncoding.EncodeToString(sum[:]) + "\r\n\r\n"
	if _, err := io.WriteString(hijacked, answer); err != nil {
		_ = hijacked.Close()
		return nil, nil, fmt.Errorf("upgrade %s: %w", r.URL.Path, err)
	}
	return hijacked, rw.Reader, nil
}

// encodeFrame builds one unmasked, unfragmented frame.
func encodeFrame(op byte, payload []byte) []byte {
	frame := make([]byte, 0, len(payload)+10)
	frame = append(frame, 0x80|op)
	switch n := len(payload); {
	case n < 126:
		frame = append(frame, byte(n))
	case n < 1<<16:
		frame = append(frame, 126)
		frame = binary.BigEndian.AppendUint16(frame, uint16(n))
	default:
		frame = append(frame, 127)
		frame = binary.BigEndian.AppendUint64(frame, uint64(n))
	}
	return append(frame, payload...)
}

// closePayload is the body of a close frame; code zero means a frame without one (G27).
func closePayload(code int, reason string) []byte {
	if code == 0 {
		return nil
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(code)), reason...)
}

// closeCode reads a close frame's body: 1005 when it holds no code.
func closeCode(payload []byte) int {
	if len(payload) < 2 {
		return 1005
	}
	return int(binary.BigEndian.Uint16(payload))
}

// readFrame reads one frame of a client and takes its mask off.
func readFrame(r *bufio.Reader, limit int) (op byte, fin bool, payload []byte, err error) {
	var head [2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, false, nil, err
	}
	size, err := readSize(r, head[1]&0x7F)
	if err != nil {
		return 0, false, nil, err
	}
	if head[1]&0x80 == 0 {
		return 0, false, nil, errors.New("frame of a client is not masked")
	}
	if size > uint64(limit) {
		return 0, false, nil, errFrameTooBig
	}
	var mask [4]byte
	if _, err := io.ReadFull(r, mask[:]); err != nil {
		return 0, false, nil, err
	}
	payload = make([]byte, size)
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, false, nil, err
	}
	for i := range payload {
		payload[i] ^= mask[i%4]
	}
	return head[0] & 0x0F, head[0]&0x80 != 0, payload, nil
}

func readSize(r *bufio.Reader, short byte) (uint64, error) {
	switch short {
	case 126:
		var b [2]byte
		_, err := io.ReadFull(r, b[:])
		return uint64(binary.BigEndian.Uint16(b[:])), err
	case 127:
		var b [8]byte
		_, err := io.ReadFull(r, b[:])
		return binary.BigEndian.Uint64(b[:]), err
	}
	return uint64(short), nil
}
