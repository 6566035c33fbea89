package discord

import (
	"errors"
	"fmt"
	"strings"

	"gapless"
)

// The gateway's close codes that decide something (protocol A13).
const (
	closeUnknown           = 4000 // the one we send: the session survives it
	closeNotAuthenticated  = 4003
	closeTokenRefused      = 4004
	closeSessionInvalid    = 4006
	closeInvalidSequence   = 4007
	closeInvalidShard      = 4010
	closeShardingRequired  = 4011
	closeInvalidVersion    = 4012
	closeInvalidIntents    = 4013
	closeDisallowedIntents = 4014
)

// The privileged intents, by the names of their switches in the developer portal (protocol A7).
var privileged = []struct {
	bit  int
	name string
}{
	{1 << 1, "Server Members Intent"}, {1 << 8, "Presence Intent"}, {1 << 15, "Message Content Intent"},
}

// The intents a bot that answers messages needs (protocol A7).
const (
	IntentGuilds         = 1 << 0
	IntentGuildMessages  = 1 << 9
	IntentDirectMessages = 1 << 12
	IntentMessageContent = 1 << 15 // privileged: a switch in the developer portal

	// DefaultIntents is all that the engine lives on.
	DefaultIntents = IntentGuilds | IntentGuildMessages | IntentDirectMessages | IntentMessageContent
)

// What Discord has against the number of shards.
var (
	errInvalidShard = errors.New("invalid shard")
	errTooFewShards = errors.New("the bot is in too many guilds for so few shards")
)

// ruling is what a close by the other side means for the session.
type ruling struct {
	forget bool  // the session is over: identify
	final  error // no repetition can mend it
}

// rule says what a close code means; anything it does not name, no code at all and a server's 1000 included, leaves a
// session that may be resumed (protocol A13: try, until op 9 says otherwise).
func rule(code, intents int) ruling {
	switch code {
	case closeNotAuthenticated, closeSessionInvalid, closeInvalidSequence:
		return ruling{forget: true}
	case closeTokenRefused:
		return ruling{final: fmt.Errorf("connect to the gateway: %w (close 4004): copy the bot's token again from the developer portal", gapless.ErrUnauthorized)}
	case closeInvalidShard:
		return ruling{final: fmt.Errorf("connect to the gateway: %w (close 4010): the shard number must be below the number of shards", errInvalidShard)}
	case closeShardingRequired:
		return ruling{final: fmt.Errorf("connect to the gateway: %w (close 4011): raise the number of shards, or leave it to Discord with shards: auto", errTooFewShards)}
	case closeInvalidVersion:
		return ruling{final: errors.New("connect to the gateway: it does not speak version 10 (close 4012): use a newer release")}
	case closeInvalidIntents:
		return ruling{final: fmt.Errorf("connect to the gateway: the intents %d are none (close 4013): GatewayConfig.Intents must be a sum of intents that Discord has", intents)}
	case closeDisallowedIntents:
		return ruling{final: fmt.Errorf("connect to the gateway: the bot may not use the intents it asks for (close 4014): "+
			"in the developer portal, under Bot > Privileged Gateway Intents, switch on %s", switches(intents))}
	}
	return ruling{}
}

// switches names the portal's switches that these intents need.
func switches(intents int) string {
	var names []string
	for _, p := range privileged {
		if intents&p.bit != 0 {
			names = append(names, p.name)
		}
	}
	if names == nil {
		return "what it needs"
	}
	return strings.Join(names, " and ")
}
