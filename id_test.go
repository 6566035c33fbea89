package gapless_test

import (
	"encoding/json"
	"testing"
	"time"

	"gapless"

	"gapless/internal/property"
	"pgregory.net/rapid"
)

func TestIDFromTimeIsExactToTheMillisecond(t *testing.T) {
	for _, c := range []struct {
		name string
		at   time.Time
		want gapless.MessageID
	}{
		{"Discord's epoch", time.UnixMilli(1420070400000), 0},
		{"one millisecond later", time.UnixMilli(1420070400001), 1 << 22},
		{"a millisecond before it (C98)", time.UnixMilli(1420070399999), 0},
		{"long before it", time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), 0},
		{"the zero time", time.Time{}, 0},
		{"beyond 32 bits", time.UnixMilli(1420070400000 + 1<<33), 1 << 55},
		{"Discord's own example", time.UnixMilli(1462015105796), 175928847299117063 >> 22 << 22},
		{"parts of a millisecond are cut", time.UnixMilli(1420070400001).Add(999 * time.Microsecond), 1 << 22},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := gapless.At[gapless.MessageID](c.at); got != c.want {
				t.Errorf("At(%s) = %d, want %d", c.at, got, c.want)
			}
		})
	}
}

func TestIDKeepsItsTime(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(1420070400000, 1420070400000+1<<41).Draw(t, "ms")
		low := rapid.Uint64Range(0, 1<<22-1).Draw(t, "low")
		id := gapless.At[gapless.MessageID](time.UnixMilli(ms)) + gapless.MessageID(low)
		if got := id.Time().UnixMilli(); got != ms {
			t.Fatalf("id of %d ms says %d ms", ms, got)
		}
		if id.Time().Location() != time.UTC {
			t.Fatal("the time of an id is not in UTC")
		}
	})
}

func TestIDLess(t *testing.T) {
	second := gapless.MessageID(1000 << 22)
	for _, c := range []struct {
		name string
		id   gapless.MessageID
		d    time.Duration
		want gapless.MessageID
	}{
		{"ten seconds", 60 * second, 10 * time.Second, 50 * second},
		{"keeps the lower bits", 60*second + 7, time.Second, 59*second + 7},
		{"nothing", 5, 0, 5},
		{"below zero saturates", 5 * second, 10 * time.Second, 0},
		{"of zero", 0, time.Hour, 0},
		{"exactly to zero", 10 * second, 10 * time.Second, 0},
		{"longer than ids can tell", 60 * second, 200 * 365 * 24 * time.Hour, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.id.Less(c.d); got != c.want {
				t.Errorf("%d less %s = %d, want %d", c.id, c.d, got, c.want)
			}
		})
	}
}

func TestIDInJSON(t *testing.T) {
	const before = gapless.UserID(7)
	for _, c := range []struct {
		name, in string
		want     gapless.UserID
		fails    bool
	}{
		{name: "string", in: `"175928847299117063"`, want: 175928847299117063},
		{name: "integer", in: `175928847299117063`, want: 175928847299117063},
		{name: "the largest", in: `"18446744073709551615"`, want: 1<<64 - 1},
		{name: "null leaves it", in: `null`, want: before},
		{name: "too large", in: `"18446744073709551616"`, fails: true},
		{name: "negative", in: `-1`, fails: true},
		{name: "fraction", in: `1.5`, fails: true},
		{name: "empty string", in: `""`, fails: true},
		{name: "word", in: `"me"`, fails: true},
		{name: "object", in: `{}`, fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := before
			err := json.Unmarshal([]byte(c.in), &id)
			if c.fails {
				if err == nil {
					t.Errorf("%s was read as %d", c.in, id)
				}
				return
			}
			if err != nil || id != c.want {
				t.Errorf("%s: got %d, %v, want %d", c.in, id, err, c.want)
			}
		})
	}
}

func TestIDIsWrittenAsDiscordDoes(t *testing.T) {
	type holder struct {
		ID    gapless.MessageID                    `json:"id"`
		Gone  gapless.MessageID                    `json:"gone,omitzero"`
		Names map[gapless.ChannelID]gapless.UserID `json:"names"`
	}
	in := holder{ID: 175928847299117063, Names: map[gapless.ChannelID]gapless.UserID{9: 1<<64 - 1}}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"id":"175928847299117063","names":{"9":"18446744073709551615"}}`; string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
	var out holder
	if err := json.Unmarshal(b, &out); err != nil || out.ID != in.ID || out.Names[9] != in.Names[9] {
		t.Errorf("%s read back: %+v, %v", b, out, err)
	}
}
