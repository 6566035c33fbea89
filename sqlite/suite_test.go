package sqlite_test

import (
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"gapless"
	"gapless/ledgertest"
	"gapless/sqlite"
)

// open opens a ledger in dir that the end of the test closes.
func open(t testing.TB, cfg sqlite.Config) *sqlite.Ledger {
	t.Helper()
	l, err := sqlite.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return l
}

// fixture is the ledger on a real file.
func fixture(cfg sqlite.Config) ledgertest.Fixture {
	return ledgertest.Fixture{
		Open: func(t testing.TB) gapless.Ledger {
			cfg := cfg
			cfg.Dir = t.TempDir()
			return open(t, cfg)
		},
		Reopen: func(t testing.TB, l gapless.Ledger) gapless.Ledger {
			old := l.(*sqlite.Ledger)
			if err := old.Close(); err != nil {
				t.Fatal(err)
			}
			cfg := cfg
			cfg.Dir = old.Dir()
			return open(t, cfg)
		},
	}
}

func TestLedger(t *testing.T) { ledgertest.Suite(t, fixture(sqlite.Config{})) }

// One connection for everything, as a VFS without shared memory needs it, and
// deeds that never share a transaction.
func TestLedgerExclusive(t *testing.T) {
	ledgertest.Suite(t, fixture(sqlite.Config{Exclusive: true, Group: 1}))
}

func TestLedgerSame(t *testing.T) { ledgertest.Same(t, fixture(sqlite.Config{})) }

// logger writes to a string, for tests of what is logged.
func logger(to io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(to, nil)) }

// journal may be read while it is written.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}
