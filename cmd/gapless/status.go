package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"gapless"
	"gapless/internal/config"
	"gapless/sqlite"
)

// statusCommand shows what ledgers know.
type statusCommand struct {
	Data   string `help:"Directory of the ledgers, as given to run." placeholder:"DIR"`
	Config string `help:"Configuration file." placeholder:"FILE"`
	JSON   bool   `help:"Print one JSON object." name:"json"`
}

// botStatus is one bot's ledger and whether a daemon is at work on it.
type botStatus struct {
	Directory string `json:"directory"`
	Running   bool   `json:"running"`
	PID       int    `json:"pid,omitempty"`
	gapless.LedgerStatus
}

// Run reads every ledger below the data directory; it never writes.
func (c *statusCommand) Run(ctx context.Context, sys *system) error {
	report, err := config.Read(config.Sources{File: c.Config, Env: sys.env, Flags: flag("data", "--data", c.Data)})
	if err != nil {
		return failure(exitUsage, err)
	}
	bots, err := readAll(ctx, report)
	if err != nil {
		return failure(exitData, err)
	}
	if c.JSON {
		e := json.NewEncoder(sys.out)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"bots": bots})
	}
	for i, b := range bots {
		if i > 0 {
			fmt.Fprintln(sys.out)
		}
		if err := printStatus(sys.out, b); err != nil {
			return err
		}
	}
	return nil
}

var botDirectory = regexp.MustCompile(`^[0-9]{17,20}$`)

// readAll asks the ledgers below every data directory that is configured.
func readAll(ctx context.Context, r *config.Report) ([]botStatus, error) {
	var dirs []string
	for _, b := range r.Bots {
		if !slices.Contains(dirs, b.Config.Data) {
			dirs = append(dirs, b.Config.Data)
		}
	}
	var all []botStatus
	var faults []error
	for _, dir := range dirs {
		bots, err := readStatus(ctx, dir)
		if err != nil {
			faults = append(faults, err)
		}
		all = append(all, bots...)
	}
	if len(all) > 0 && len(dirs) > 1 {
		return all, nil // a bot that has not run yet hides no other
	}
	return all, errors.Join(faults...)
}

// readStatus asks the ledger of each bot.
func readStatus(ctx context.Context, data string) ([]botStatus, error) {
	entries, err := os.ReadDir(data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for ledgers: %w", err)
	}
	var bots []botStatus
	for _, e := range entries {
		if !e.IsDir() || !botDirectory.MatchString(e.Name()) {
			continue
		}
		b, err := readBot(ctx, filepath.Join(data, e.Name()))
		if err != nil {
			return nil, err
		}
		bots = append(bots, b)
	}
	if len(bots) == 0 {
		return nil, fmt.Errorf("there is no ledger in %s: no daemon has run there; --data or GAPLESS_DATA names another directory", data)
	}
	return bots, nil
}

func readBot(ctx context.Context, dir string) (botStatus, error) {
	b := botStatus{Directory: dir}
	b.Running, b.PID = sqlite.Running(dir)
	reader, err := sqlite.OpenReadOnly(ctx, dir)
	if err != nil {
		return b, err
	}
	defer reader.Close()
	if b.LedgerStatus, err = reader.Status(ctx); err != nil {
		return b, fmt.Errorf("read the status of %s: %w", dir, err)
	}
	b.Sessions = inUse(b.Sessions)
	return b, nil
}

// flag is the setting of a flag that was given, for a key with one value.
func flag(key, name, value string) []config.Setting {
	if value == "" {
		return nil
	}
	return []config.Setting{{Key: key, Values: []string{value}, From: name}}
}
