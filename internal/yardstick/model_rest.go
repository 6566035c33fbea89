package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"gapless/discordsim"
)

// message is what the model reads of a message.
type message struct {
	ID      discordsim.ID `json:"id"`
	Channel discordsim.ID `json:"channel_id"`
	Content string        `json:"content"`
	Author  struct {
		ID discordsim.ID `json:"id"`
	} `json:"author"`
	Reference struct {
		Message discordsim.ID `json:"message_id"`
	} `json:"message_reference"`
}

// restClient asks as a client library does: it waits out a 429, and gives up
// on anything else.
type restClient struct{ base, token string }

func (c restClient) do(ctx context.Context, method, path string, body, into any) error {
	payload, err := json.Marshal(body)
	if err != nil {
		return err
	}
	for {
		req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(payload))
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bot "+c.token)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		var limited struct {
			RetryAfter float64 `json:"retry_after"`
		}
		if res.StatusCode == http.StatusTooManyRequests {
			err = json.NewDecoder(res.Body).Decode(&limited)
		} else if res.StatusCode < 300 && into != nil {
			err = json.NewDecoder(res.Body).Decode(into)
		}
		res.Body.Close()
		switch {
		case err != nil:
			return err
		case res.StatusCode == http.StatusTooManyRequests:
			time.Sleep(time.Duration(limited.RetryAfter * float64(time.Second)))
		case res.StatusCode >= 300:
			return fmt.Errorf("%s %s: status %d", method, path, res.StatusCode)
		default:
			return nil
		}
	}
}

func (c restClient) reply(ctx context.Context, to message) error {
	return c.do(ctx, "POST", fmt.Sprintf("/channels/%v/messages", to.Channel), map[string]any{
		"content": "heard", "message_reference": map[string]any{"message_id": to.ID},
	}, nil)
}

// newest is the newest messages of a channel, oldest first; what cannot be
// read counts as nothing.
func (c restClient) newest(ctx context.Context, ch discordsim.ID, limit int) []message {
	return c.page(ctx, fmt.Sprintf("/channels/%v/messages?limit=%d", ch, limit))
}

func (c restClient) after(ctx context.Context, ch, id discordsim.ID, limit int) []message {
	return c.page(ctx, fmt.Sprintf("/channels/%v/messages?after=%v&limit=%d", ch, id, limit))
}

func (c restClient) page(ctx context.Context, path string) (page []message) {
	if c.do(ctx, "GET", path, nil, &page) != nil {
		return nil
	}
	slices.Reverse(page)
	return page
}

func (c restClient) archived(ctx context.Context, ch discordsim.ID) {
	var ignored json.RawMessage
	_ = c.do(ctx, "GET", fmt.Sprintf("/channels/%v/threads/archived/public", ch), nil, &ignored) // S17: a failure is a debug line
}
