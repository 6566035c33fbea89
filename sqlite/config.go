package sqlite

import (
	"cmp"
	"errors"
	"log/slog"
	"path/filepath"
)

// Config says where and how to open a ledger. Dir is required.
type Config struct {
	// Dir is the data directory. It is made, 0700, if it is not there.
	Dir string
	// Logger gets one line per change of state; nil: silent.
	Logger *slog.Logger
	// Group bounds how many deeds share one transaction, default 256.
	Group int

	// Driver replaces the built-in driver.
	Driver Driver
	// VFS names a registered virtual file system that holds the database; lock
	// and witness stay in Dir. The files of the database are then neither made
	// nor looked at beforehand.
	VFS string
	// Exclusive uses one connection for everything and keeps the index of the
	// write-ahead log in memory, as a VFS without shared memory needs it. No
	// other process can then read beside us.
	Exclusive bool
}

func (c Config) withDefaults() (Config, error) {
	if c.Dir == "" {
		return c, errors.New("sqlite.Config.Dir is required: name a directory for the ledger")
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return c, err
	}
	c.Dir = dir
	c.Group = cmp.Or(max(c.Group, 0), 256)
	if c.Driver.Name == "" {
		c.Driver = ncruces
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// The files in the data directory.
const (
	databaseName = "gapless.db"
	lockName     = "gapless.lock"
	witnessName  = "gapless.witness"
)

func (c Config) database() string { return filepath.Join(c.Dir, databaseName) }
