package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"gapless"
)

// Token is the bot's token. It shows itself to nobody: printed, formatted,
// logged or marshalled it is a placeholder. [Token.Reveal] gives it away.
type Token struct {
	// A pointer, so that even a structure that holds a Token in a field of its
	// own shows no more than an address.
	secret *string
}

// hidden stands for any token.
const hidden = "[token]"

// String is a placeholder.
func (Token) String() string { return hidden }

// Format writes a placeholder, whatever the verb.
func (Token) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, hidden) }

// LogValue is a placeholder.
func (Token) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText is a placeholder.
func (Token) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// Reveal is the token itself, for the client that authenticates with it.
func (t Token) Reveal() string {
	if t.secret == nil {
		return ""
	}
	return *t.secret
}

// Bot is the id of the bot, which Discord puts into the first part of its
// token; ok is false for a token that does not have it.
func (t Token) Bot() (id gapless.UserID, ok bool) {
	first, _, _ := strings.Cut(t.Reveal(), ".")
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(first, "="))
	if err != nil || !snowflake.Match(b) {
		return 0, false
	}
	id, err = gapless.ParseID[gapless.UserID](string(b))
	return id, err == nil
}

// ErrNoToken is answered when no token was given in any way.
var ErrNoToken = errors.New(`no bot token was given. Give it in one of three ways:
  DISCORD_TOKEN       the token itself, in the environment
  DISCORD_TOKEN_FILE  the path of a file that holds it (or token_file in gapless.yaml)
  systemd             LoadCredential=discord_token:/path/of/the/file in the unit
The token stands on the Bot page of your application at https://discord.com/developers/applications`)

// BotToken is the token that Discord knows a bot of the configuration by.
type BotToken struct {
	Token
	From string // where it was found, for people
}

// FindTokens looks for the token of each bot: for the only bot as [FindToken]
// does, for those of a list where each says. Two bots with one token, or with
// two tokens of one account, are refused: they would take each other's
// messages (C124).
func FindTokens(env Environment, r *Report) (tokens []BotToken, notes []string, err error) {
	if !r.several {
		t, notes, err := FindToken(env, r.Common.Config.TokenEnv, r.Common.Config.TokenFile)
		return []BotToken{t}, notes, err
	}
	var faults []error
	for _, b := range r.Bots {
		t, told, err := ownToken(env, b.Config)
		for _, note := range told {
			notes = append(notes, "bot "+b.Config.Name+": "+note)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("bot %s: %w", b.Config.Name, err))
			tokens = append(tokens, t)
			continue
		}
		for i, other := range tokens {
			if what := t.clash(other.Token); what != "" {
				faults = append(faults, fmt.Errorf("%w: bots %s and %s have %s", ErrSameToken, r.Bots[i].Config.Name, b.Config.Name, what))
			}
		}
		tokens = append(tokens, t)
	}
	return tokens, notes, errors.Join(faults...)
}

// ErrSameToken is the error for two bots that are one to Discord.
var ErrSameToken = errors.New("one account has two entries, of which one must go")

// ownToken is the token of a bot of the list.
func ownToken(env Environment, c Config) (BotToken, []string, error) {
	if c.TokenEnv != "" {
		return fromVariable(env, c.TokenEnv)
	}
	return fromFile(c.TokenFile, "token_file")
}

// clash says what two tokens have in common, empty for nothing.
func (t Token) clash(other Token) string {
	if t.secret == nil || other.secret == nil {
		return ""
	}
	if *t.secret == *other.secret {
		return "the same token"
	}
	a, known := t.Bot()
	if b, ok := other.Bot(); known && ok && a == b {
		return "tokens of the same account"
	}
	return ""
}

// FindToken looks for the token in the environment, in the file that
// DISCORD_TOKEN_FILE or else tokenFile names, and among systemd's credentials,
// in this order. tokenEnv, if not empty, names the variable instead of
// DISCORD_TOKEN. Notes are things the operator should know; neither they nor
// errors hold any of the token.
func FindToken(env Environment, tokenEnv, tokenFile string) (token BotToken, notes []string, err error) {
	if tokenEnv != "" {
		return fromVariable(env, tokenEnv)
	}
	if env.Get("DISCORD_TOKEN") != "" {
		return fromVariable(env, "DISCORD_TOKEN")
	}
	if named := env.Get("DISCORD_TOKEN_FILE"); named != "" {
		return fromFile(named, "DISCORD_TOKEN_FILE")
	}
	if tokenFile != "" {
		return fromFile(tokenFile, "token_file")
	}
	if dir := env.Get("CREDENTIALS_DIRECTORY"); dir != "" {
		name := filepath.Join(dir, "discord_token")
		if _, err := os.Stat(name); err == nil {
			return fromFile(name, "credential discord_token")
		}
	}
	return BotToken{}, nil, ErrNoToken
}

func fromVariable(env Environment, name string) (BotToken, []string, error) {
	value, ok := env.lookup(name)
	if !ok {
		return BotToken{}, nil, fmt.Errorf("%s, which token_env names, is not set. %w", name, ErrNoToken)
	}
	token, notes, err := clean(value, name)
	return BotToken{token, name}, notes, err
}

func fromFile(name, from string) (BotToken, []string, error) {
	if tokenShape.MatchString(name) {
		return BotToken{}, nil, fmt.Errorf("%s must be the path of a file, and holds what looks like the token itself: use DISCORD_TOKEN for that", from)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return BotToken{}, nil, fmt.Errorf("read the bot's token (%s): %w", from, err)
	}
	token, notes, err := clean(string(b), from+" ("+name+")")
	if info, statErr := os.Stat(name); statErr == nil && info.Mode().Perm()&0o004 != 0 {
		notes = append(notes, fmt.Sprintf("%s can be read by every user of this machine; chmod 600 %s", from, name))
	}
	return BotToken{token, from + " (" + name + ")"}, notes, err
}

// clean takes off what people copy along with a token.
func clean(value, from string) (token Token, notes []string, err error) {
	value = strings.TrimSpace(strings.TrimPrefix(value, "\ufeff"))
	if len(value) > 4 && strings.EqualFold(value[:4], "bot ") {
		value = strings.TrimSpace(value[4:])
		notes = append(notes, from+` begins with "Bot ", which is not part of the token; it was left out`)
	}
	switch {
	case value == "", strings.EqualFold(value, "bot"):
		return Token{}, notes, fmt.Errorf("%s is empty. %w", from, ErrNoToken)
	case strings.ContainsAny(value, "\"'`"):
		return Token{}, notes, fmt.Errorf("%s contains a quotation mark: write the token without quotes", from)
	case strings.HasPrefix(strings.ToLower(value), "bearer "):
		return Token{}, notes, fmt.Errorf("%s is a bearer token: a bot's token, from the Bot page of the application, is needed", from)
	case strings.ContainsAny(value, " \t\r\n"):
		return Token{}, notes, fmt.Errorf("%s contains white space: it must hold the token and nothing else", from)
	}
	return Token{secret: &value}, notes, nil
}
