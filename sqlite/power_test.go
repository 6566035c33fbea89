package sqlite_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gapless"
	"gapless/sqlite"

	sqlite3 "github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// disk is a disk whose power can be cut: what was not synced by then is lost,
// kept or torn, write by write, as its dice fall.
type disk struct {
	mu    sync.Mutex
	dice  *rand.Rand
	lies  bool // it says that it synced, and did not
	life  int  // raised by each cut: files opened before are dead
	files map[string]*platter
}

// platter is one file: as a program sees it, and as it would be after a cut.
type platter struct {
	seen, stable []byte
	pending      []pendingWrite
}

type pendingWrite struct {
	at   int64
	data []byte
	cut  bool // a truncation to at
}

func (w pendingWrite) apply(to []byte) []byte {
	if w.cut {
		return to[:min(int64(len(to)), w.at)]
	}
	if end := int(w.at) + len(w.data); end > len(to) {
		to = append(to, make([]byte, end-len(to))...)
	}
	copy(to[w.at:], w.data)
	return to
}

const sector = 512

// cut cuts the power and puts it back.
func (d *disk) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.life++
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		p := d.files[name]
		d.dice.Shuffle(len(p.pending), func(i, j int) { p.pending[i], p.pending[j] = p.pending[j], p.pending[i] })
		for _, w := range p.pending {
			switch d.dice.IntN(3) {
			case 0: // lost
			case 1:
				p.stable = w.apply(p.stable)
			default: // torn
				w.data = w.data[:d.dice.IntN(len(w.data)/sector+1)*sector]
				p.stable = w.apply(p.stable)
			}
		}
		p.seen, p.pending = bytes.Clone(p.stable), nil
	}
}

// Open opens a file, making it if it may.
func (d *disk) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files[name] == nil {
		if flags&vfs.OPEN_CREATE == 0 {
			return nil, flags, sqlite3.CANTOPEN
		}
		d.files[name] = &platter{}
	}
	return &head{disk: d, platter: d.files[name], life: d.life}, flags, nil
}

// Delete removes a file for good.
func (d *disk) Delete(name string, _ bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.files, name)
	return nil
}

// Access reports whether there is a file.
func (d *disk) Access(name string, _ vfs.AccessFlag) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files[name] != nil, nil
}

// FullPathname leaves names as they are.
func (d *disk) FullPathname(name string) (string, error) { return name, nil }

// head is an open file.
type head struct {
	*disk
	*platter
	life int
}

// alive runs f unless the power was cut since the file was opened.
func (h *head) alive(f func() error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.life != h.disk.life {
		return sqlite3.IOERR
	}
	return f()
}

func (h *head) Close() error { return nil }

func (h *head) ReadAt(b []byte, at int64) (n int, err error) {
	return n, h.alive(func() error {
		if at < int64(len(h.seen)) {
			n = copy(b, h.seen[at:])
		}
		if n < len(b) {
			return io.EOF
		}
		return nil
	})
}

func (h *head) write(w pendingWrite) error {
	return h.alive(func() error {
		h.seen = w.apply(h.seen)
		h.pending = append(h.pending, w)
		return nil
	})
}

func (h *head) WriteAt(b []byte, at int64) (int, error) {
	return len(b), h.write(pendingWrite{at: at, data: bytes.Clone(b)})
}

func (h *head) Truncate(size int64) error { return h.write(pendingWrite{at: size, cut: true}) }

func (h *head) Sync(vfs.SyncFlag) error {
	time.Sleep(4 * time.Millisecond)
	return h.alive(func() error {
		if h.lies {
			return nil
		}
		for _, w := range h.pending {
			h.stable = w.apply(h.stable)
		}
		h.pending = nil
		return nil
	})
}

func (h *head) Size() (n int64, err error) {
	return n, h.alive(func() error {
		n = int64(len(h.seen))
		return nil
	})
}

func (h *head) Lock(vfs.LockLevel) error                        { return nil }
func (h *head) Unlock(vfs.LockLevel) error                      { return nil }
func (h *head) CheckReservedLock() (bool, error)                { return false, nil }
func (h *head) SectorSize() int                                 { return sector }
func (h *head) DeviceCharacteristics() vfs.DeviceCharacteristic { return 0 }

// outages cuts the power of a ledger a few times and counts what was
// acknowledged and what of it was lost.
func outages(t *testing.T, seed uint64, lies bool, times int) (acknowledged, lost int) {
	d := &disk{dice: rand.New(rand.NewPCG(seed, 1)), lies: lies, files: map[string]*platter{}}
	name := fmt.Sprintf("disk-%s-%d", t.Name(), seed)
	vfs.Register(name, d)
	defer vfs.Unregister(name)
	cfg := sqlite.Config{Dir: t.TempDir(), VFS: name, Exclusive: true}
	for life := range int64(times) {
		l, err := sqlite.Open(t.Context(), cfg)
		if err != nil {
			return acknowledged, lost + 1
		}
		if n := l.Behind(); n != 0 {
			lost++
			t.Logf("the witness was %d commits ahead", n)
		}
		stored := work(l, life*100_000)
		time.Sleep(time.Duration(50+d.dice.IntN(400))*time.Millisecond + time.Duration(d.dice.IntN(1e6)))
		d.cut()
		ids := stored()
		_ = l.Close() // its disk is gone
		acknowledged += len(ids)
		lost += missing(t, cfg, ids)
	}
	return acknowledged, lost
}

// work stores messages from several goroutines until the ledger fails them.
// What it returns waits for them and gives what was acknowledged.
func work(l *sqlite.Ledger, from int64) (stored func() []int64) {
	var mu sync.Mutex
	var ids []int64
	var wg sync.WaitGroup
	for w := range int64(8) {
		wg.Go(func() {
			time.Sleep(time.Duration(w)) // an order of their own
			for n := from + w; ; n += 8 {
				if _, err := l.Append(context.Background(), heard(gapless.ChannelID(1000+w), n)); err != nil {
					return
				}
				mu.Lock()
				ids = append(ids, n)
				mu.Unlock()
			}
		})
	}
	return func() []int64 {
		wg.Wait()
		return ids
	}
}

// missing counts the messages that the ledger does not know.
func missing(t *testing.T, cfg sqlite.Config, ids []int64) (n int) {
	l, err := sqlite.Open(t.Context(), cfg)
	if err != nil {
		t.Logf("after the outage: %v", err)
		return len(ids)
	}
	defer l.Close()
	for _, id := range ids {
		s, err := l.Append(t.Context(), gapless.Change{At: now, Refused: []gapless.Refusal{{Place: 1, ID: payload(1, id).Message.ID}}})
		if err != nil || s.Known != 1 {
			n++
		}
	}
	return n
}

func TestPowerCutsLoseNothingAcknowledged(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(now))
			acknowledged, lost := outages(t, seed, false, 4)
			if lost > 0 || acknowledged < 100 {
				t.Errorf("seed %d: %d of %d acknowledged messages lost", seed, lost, acknowledged)
			}
		})
	}
}

// On a disk that lies about syncing the same test must fail.
func TestPowerCutsOnALyingDiskAreNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now))
		if _, lost := outages(t, 1, true, 2); lost == 0 {
			t.Error("nothing was lost although nothing was ever synced")
		}
	})
}
