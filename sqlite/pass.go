package sqlite

import (
	"context"
	"encoding/json"
	"fmt"

	"gapless"
)

// Record stores a pass, replacing the one of the same id.
func (l *Ledger) Record(ctx context.Context, p gapless.Pass) error {
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode pass %s: %w", p.ID, err)
	}
	began, ended := stamp(p.StartedAt), stamp(p.EndedAt)
	_, err = ask(ctx, l, "record pass", func(t *tx) (none struct{}, err error) {
		_, err = t.exec("INSERT OR REPLACE INTO passes (id, started_at, ended_at, body) VALUES (?,?,?,?)",
			p.ID, began, ended, string(body))
		return none, err
	})
	return err
}

func scanPass(scan func(...any) error) (p gapless.Pass, err error) {
	var body string
	if err := scan(&body); err != nil {
		return p, err
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		return p, fmt.Errorf("decode pass: %w", err)
	}
	return p, nil
}
