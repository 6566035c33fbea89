package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// witness is what a ledger tells about itself in a file beside it: a database
// whose count is behind was restored from a backup (R15).
type witness struct {
	Ledger  string // the ledger's id
	Commits int64
}

// witnessEvery is how often the witness is written at most.
const witnessEvery = time.Second

// readWitness reads the file; a missing or unreadable one is no witness.
func readWitness(dir string) (w witness, ok bool, err error) {
	text, err := os.ReadFile(filepath.Join(dir, witnessName))
	if errors.Is(err, fs.ErrNotExist) {
		return witness{}, false, nil
	}
	if err != nil {
		return witness{}, false, fmt.Errorf("read witness of the ledger: %w", err)
	}
	n, err := fmt.Sscanf(string(text), "%s %d\n", &w.Ledger, &w.Commits)
	return w, err == nil && n == 2, nil
}

// write replaces the file whole. What it says has been committed before, so it
// is never ahead of the database.
func (w witness) write(dir string) (err error) {
	name := filepath.Join(dir, witnessName)
	f, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return fmt.Errorf("write witness of the ledger: %w", err)
	}
	_, err = fmt.Fprintf(f, "%s %d\n", w.Ledger, w.Commits)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return fmt.Errorf("write witness of the ledger: %w", err)
	}
	return nil
}
