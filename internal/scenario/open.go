package scenario

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"gapless/discord"
	"gapless/sqlite"
)

// openStore opens the ledger in a directory, as the command does.
func openStore(dir string, log *slog.Logger) (store, error) {
	l, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir, Logger: log})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// lockStore takes the write lock of the database in a directory, as another program could, until release is called.
// The driver is the one the ledger has registered.
func lockStore(dir string) (release func(), err error) {
	found, err := filepath.Glob(filepath.Join(dir, "*.db"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("find the database in %s: %d files, %w", dir, len(found), err)
	}
	db, err := sql.Open("sqlite3", "file://"+(&url.URL{Path: found[0]}).EscapedPath())
	if err != nil {
		return nil, fmt.Errorf("open the database a second time: %w", err)
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		return nil, fmt.Errorf("connect to the database a second time: %w", err)
	}
	if _, err := conn.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
		return nil, fmt.Errorf("take the write lock: %w", err)
	}
	return func() {
		_, _ = conn.ExecContext(context.Background(), "ROLLBACK")
		_ = conn.Close()
		_ = db.Close()
	}, nil
}

// discordGateway is the real gateway client.
type discordGateway struct{ *fleet }

// fleet keeps the name Shards free.
type fleet = discord.Shards

// State is what it is doing, in a word.
func (g discordGateway) State() string { return string(g.fleet.State()) }

// Shards is how many connections there are, and how many of them are ready.
func (g discordGateway) Shards() (all, ready int) {
	for _, s := range g.Status() {
		if all++; s.State == discord.StateReady {
			ready++
		}
	}
	return all, ready
}

// openGateway makes a gateway client on the network of a process. What it carries has no latency: a frame is there in
// the instant in which it was sent.
func openGateway(proc *process, network *http.Transport, log *slog.Logger) (gateway, error) {
	cfg := proc.player.gateway
	cfg.Sink = proc.engine
	if proc.room != nil {
		cfg.Sink = listener{proc.engine, proc.room}
	}
	cfg.REST, cfg.Client, cfg.Logger, cfg.Seed = proc.rest, &http.Client{Transport: network}, log, proc.player.script.Seed
	cfg.Wall = func() time.Time { return time.Now().Add(time.Duration(proc.player.slept.Load())) }
	g, err := discord.NewShards(cfg, proc.player.shards)
	if err != nil {
		return nil, err
	}
	return discordGateway{g}, nil
}
