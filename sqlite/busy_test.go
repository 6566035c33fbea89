package sqlite_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"gapless"
	"gapless/sqlite"
)

// held makes another process of it: a connection that holds the write lock.
// The bubble's clock is Discord's from here on.
func held(t *testing.T, f func(t *testing.T, l *sqlite.Ledger, release func())) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now))
		l := open(t, sqlite.Config{Dir: t.TempDir()})
		lifecycle(t, l, 1000, 1)
		db := raw(t, l.Dir())
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
			t.Fatal(err)
		}
		f(t, l, func() {
			if _, err := conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
				t.Error(err)
			}
			if err := errors.Join(conn.Close(), db.Close()); err != nil {
				t.Error(err)
			}
		})
	})
}

// C86: a foreign lock of three seconds delays a claim by three seconds.
func TestForeignLockDelays(t *testing.T) {
	held(t, func(t *testing.T, l *sqlite.Ledger, release func()) {
		began := time.Now()
		time.AfterFunc(3*time.Second, release)
		lifecycle(t, l, 1000, 2)
		if took := time.Since(began); took < 3*time.Second || took > 4*time.Second {
			t.Errorf("took %s, want three seconds", took)
		}
	})
}

func TestForeignLockThatStaysIsNamed(t *testing.T) {
	held(t, func(t *testing.T, l *sqlite.Ledger, release func()) {
		_, err := l.Append(t.Context(), heard(1000, 2))
		says(t, err, "another process", l.Dir())
		release()
		s, err := l.Append(t.Context(), heard(1000, 2))
		if err != nil || len(s.New) != 1 {
			t.Errorf("afterwards: %+v, %v; nothing may have been stored before", s, err)
		}
	})
}

func TestCancelledDeedReturnsAtOnce(t *testing.T) {
	held(t, func(t *testing.T, l *sqlite.Ledger, release func()) {
		began := time.Now()
		for range 3 { // the first is in the writer's hands, the others wait for it
			go func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := l.Append(ctx, heard(1000, 2))
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
					t.Errorf("after %s: %v, want the deadline after a second", time.Since(began), err)
				}
			}()
		}
		time.Sleep(2 * time.Second)
		release()
		if _, err := l.Append(t.Context(), heard(1000, 3)); err != nil {
			t.Error(err)
		}
	})
}

// Reading the status waits for nobody who writes.
func TestStatusBesideForeignLock(t *testing.T) {
	held(t, func(t *testing.T, l *sqlite.Ledger, release func()) {
		began := time.Now()
		if _, err := l.Status(t.Context()); err != nil || time.Since(began) != 0 {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		release()
	})
}

// C93: a day of waiting, restarts included, in virtual time on a real file.
func TestWaitingOutlivesRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now))
		dir := t.TempDir()
		l := open(t, sqlite.Config{Dir: dir})
		if _, err := l.Append(t.Context(), heard(1000, 1)); err != nil {
			t.Fatal(err)
		}
		for attempt := 1; attempt <= 24; attempt++ {
			o, err := l.Claim(t.Context(), gapless.Claim{Lane: "1000", Boot: "boot", Now: time.Now()})
			if err != nil || o.Delivery == nil || o.Delivery.Attempt != attempt {
				t.Fatalf("attempt %d: %+v, %v", attempt, o, err)
			}
			d, err := o.Delivery.Next(gapless.Outcome{Kind: gapless.TurnRetryAfter, Wait: time.Hour}, time.Now(), gapless.Retry{Attempts: 99}, 0)
			if err == nil {
				err = l.Settle(t.Context(), gapless.Settlement{Delivery: d, At: time.Now()})
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(59 * time.Minute)
			l = open(t, sqlite.Config{Dir: dir})
			o, err = l.Claim(t.Context(), gapless.Claim{Lane: "1000", Boot: "boot", Now: time.Now()})
			if err != nil || o.Delivery != nil || !o.Next.Equal(d.NotBefore) {
				t.Fatalf("too early: %+v, %v", o, err)
			}
			time.Sleep(time.Minute)
		}
	})
}
