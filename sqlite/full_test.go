package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gapless"
)

// limit bounds the database to a number of pages more than it has now, as a
// disk that is nearly full does; zero lifts the bound.
func limit(t *testing.T, l *Ledger, more int) {
	t.Helper()
	_, err := ask(t.Context(), l, "limit", func(t *tx) (none struct{}, err error) {
		var pages, set int
		ctx := context.Background()
		err = t.w.conn.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages)
		if more == 0 {
			pages = 1 << 20
		}
		query := fmt.Sprintf("PRAGMA max_page_count = %d", pages+more)
		return none, errors.Join(err, t.w.conn.QueryRowContext(ctx, query).Scan(&set))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func sized(n int, size int) gapless.Change {
	id := gapless.At[gapless.MessageID](time.Date(2026, 1, 2, 0, 0, n, 0, time.UTC))
	m := gapless.Message{ID: id, Place: gapless.ChannelID(n), Text: "t", Raw: []byte(strings.Repeat("x", size))}
	return gapless.Change{
		At: id.Time(), Admitted: []gapless.Item{{Message: m}}, Places: []gapless.PlaceChange{{ID: m.Place, Head: id}},
		Refused: []gapless.Refusal{{Place: m.Place, ID: id + 1, Reason: "bot"}},
	}
}

func TestFullDiskFailsOneDeedAlone(t *testing.T) {
	l, err := Open(t.Context(), Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	limit(t, l, 40)
	var wg sync.WaitGroup
	for n := 1; n <= 30; n++ {
		wg.Go(func() {
			size := 100
			if n%10 == 0 {
				size = 1 << 20
			}
			_, err := l.Append(context.Background(), sized(n, size))
			switch {
			case n%10 != 0 && err != nil:
				t.Errorf("small deed %d: %v", n, err)
			case n%10 == 0 && err == nil:
				t.Errorf("large deed %d was stored", n)
			case n%10 == 0 && !(strings.Contains(err.Error(), "full") && strings.Contains(err.Error(), l.Dir())):
				t.Errorf("large deed %d: %v: the next step is missing", n, err)
			}
		})
	}
	wg.Wait()
	m, err := l.Load(t.Context())
	if err != nil || len(m.Places) != 27 {
		t.Errorf("places: got %d (%v), want the 27 of the small deeds", len(m.Places), err)
	}
	limit(t, l, 0)
	for n := 1; n <= 30; n++ {
		s, err := l.Append(t.Context(), sized(n, 1<<20))
		if err != nil || (len(s.New) == 1) != (n%10 == 0) || s.Known != 2*boolean(n%10 != 0) {
			t.Errorf("after room was made, deed %d: %+v, %v", n, s, err)
		}
	}
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}
