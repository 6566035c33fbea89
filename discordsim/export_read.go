package discordsim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// readExport goes through one export from front to back, holding one message at a time. start gets guild and
// channel before the first message, and may refuse them; each gets every message as it stands there. Where a
// message is no JSON, broken is told and the reading goes on with the next line that begins one; a file that
// breaks off, or has no such lines, gives an error after the messages that were whole.
func readExport(r io.Reader, start func(exportedGuild, exportedChannel) error, each func(json.RawMessage),
	broken func(error)) error {
	d := json.NewDecoder(r)
	if err := open(d, '{'); err != nil {
		return err
	}
	var head struct {
		guild   *exportedGuild
		channel *exportedChannel
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		switch key {
		case "guild":
			err = d.Decode(&head.guild)
		case "channel":
			err = d.Decode(&head.channel)
		case "messages":
			if head.guild == nil || head.channel == nil {
				return errors.New("no guild and channel in front of the messages: this is no channel export")
			}
			if err = start(*head.guild, *head.channel); err != nil {
				break
			}
			if err = eachMessage(d, each); err != nil {
				return readOn(d, r, err, each, broken)
			}
		default:
			err = d.Decode(new(json.RawMessage))
		}
		if err != nil {
			return fmt.Errorf("read %v: %w", key, whole(err))
		}
	}
	if _, err := d.Token(); err != nil {
		return whole(err)
	}
	if head.channel == nil {
		return errors.New("no channel in it: this is no channel export")
	}
	return nil
}

// readOn takes the messages that come after one that is no JSON. What follows the list of them is of no interest.
func readOn(d *json.Decoder, r io.Reader, err error, each func(json.RawMessage), broken func(error)) error {
	for {
		rest := bufio.NewReader(io.MultiReader(d.Buffered(), r))
		skipOpening(rest)
		if !nextMessage(rest) {
			return fmt.Errorf("read messages: %w", whole(err))
		}
		broken(err)
		r = rest
		d = json.NewDecoder(io.MultiReader(strings.NewReader("[{"), rest))
		if err = eachMessage(d, each); err == nil {
			return nil
		}
	}
}

// skipOpening passes over the brace of the message at hand, which would be taken for that of the next.
func skipOpening(r *bufio.Reader) {
	for {
		b, err := r.ReadByte()
		if err != nil || !bytes.ContainsRune([]byte(" \t\r\n"), rune(b)) {
			return
		}
	}
}

// nextMessage reads up to the line that opens the next message, past the one at hand, and tells whether there is
// one. Exports are indented: such a line holds four spaces and a brace.
func nextMessage(r *bufio.Reader) bool {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return false
		}
		if strings.TrimRight(line, "\r\n") == "    {" {
			return true
		}
	}
}

func eachMessage(d *json.Decoder, each func(json.RawMessage)) error {
	if err := open(d, '['); err != nil {
		return err
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		each(raw)
	}
	_, err := d.Token()
	return err
}

func open(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err != nil {
		return whole(err)
	}
	if token != want {
		return fmt.Errorf("want %v, got %v", want, token)
	}
	return nil
}

// whole says of an end of file what it means in the middle of an export.
func whole(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file breaks off")
	}
	return err
}
