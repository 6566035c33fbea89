package discord

import (
	"errors"
	"fmt"
	"net/http"

	"gapless"
)

// Discord's error codes that decide something (protocol D7).
const (
	codeUnknownChannel = 10003
	codeUnknownGuild   = 10004
	codeUnknownMessage = 10008
	codeSlowMode       = 20016
	codeFixUserAgent   = 40333
)

// ErrNotDiscord is wrapped by the error of a call that something else answered: a web page, or text that is no JSON. At
// Discord's own address that is somebody in between, and passes; elsewhere the address is likely wrong. Such an error
// wraps [gapless.ErrUnavailable] as well.
var ErrNotDiscord = errors.New("is not a Discord API")

// APIError is a definite answer of Discord's API that is not what was asked for. It wraps the sentinel of the gapless
// package that fits, and [gapless.ErrUnavailable] where none does.
type APIError struct {
	Route   string // method and path template
	Status  int    // HTTP status
	Code    int    // Discord's error code, zero for none
	Message string // Discord's own words
}

func (e *APIError) Error() string {
	return fmt.Sprintf("%s: discord answered %d: %s (code %d)", e.Route, e.Status, e.Message, e.Code)
}

func (e *APIError) Unwrap() error {
	switch {
	case e.Code == codeUnknownChannel:
		return gapless.ErrUnknownChannel
	case e.Code == codeUnknownGuild:
		return gapless.ErrUnknownGuild
	case e.Code == codeUnknownMessage:
		return gapless.ErrUnknownMessage
	case e.Status == http.StatusUnauthorized:
		return gapless.ErrUnauthorized
	case e.Status == http.StatusForbidden:
		return gapless.ErrForbidden
	}
	return gapless.ErrUnavailable
}
