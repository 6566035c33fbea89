package modernc_test

import (
	"errors"
	"testing"

	"gapless"
	"gapless/ledgertest"
	"gapless/sqlite"

	modernc "modernc.org/sqlite"
)

// driver is all that another driver takes.
var driver = sqlite.Driver{Name: "sqlite", Code: func(err error) int {
	if e, ok := errors.AsType[*modernc.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}}

func open(t testing.TB, dir string) gapless.Ledger {
	t.Helper()
	l, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Driver: driver})
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

func TestLedger(t *testing.T) {
	ledgertest.Suite(t, ledgertest.Fixture{
		Open: func(t testing.TB) gapless.Ledger { return open(t, t.TempDir()) },
		Reopen: func(t testing.TB, l gapless.Ledger) gapless.Ledger {
			old := l.(*sqlite.Ledger)
			if err := old.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, old.Dir())
		},
	})
}
