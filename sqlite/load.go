package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"gapless"
)

// Load gives the engine's working memory, sorted by id.
func (l *Ledger) Load(ctx context.Context) (gapless.Memory, error) {
	return ask(ctx, l, "load", func(t *tx) (m gapless.Memory, err error) {
		if err := t.flush(); err != nil {
			return m, err
		}
		k, err := t.known() // the next change needs the same: one reading serves both
		if err != nil {
			return m, err
		}
		m.Places = slices.SortedFunc(maps.Values(k.places), func(a, b gapless.Place) int { return cmp.Compare(a.ID, b.ID) })
		m.Gaps = slices.SortedFunc(maps.Values(k.gaps), func(a, b gapless.Gap) int { return cmp.Compare(a.ID, b.ID) })
		for _, part := range []struct {
			name, query string
			scan        func(scan func(...any) error) error
		}{
			{"sessions", "SELECT " + sessionColumns + " FROM sessions ORDER BY shard", into(&m.Sessions, scanSession)},
			{"shards", "SELECT shard, epoch, since, at, restored FROM shards ORDER BY shard", into(&m.Shards, scanShard)},
			{"guilds", "SELECT id, shard, name, epoch, listed, away, joined_at, listed_at FROM guilds ORDER BY id", into(&m.Guilds, scanGuild)},
			{"closed ranges", "SELECT r.place, r.after, r.upto, r.reason, r.at FROM ranges r LEFT JOIN places p ON p.id = r.place " +
				"WHERE r.upto > coalesce(p.verified, 0) ORDER BY r.place, r.after, r.upto", into(&m.Ranges, scanRange)},
			{"undecided messages", "SELECT " + memberColumns + ", m.lacks FROM messages m LEFT JOIN texts x ON x.id = m.id " +
				"WHERE m.state = 'undecided' ORDER BY m.id", into(&m.Undecided, scanUndecided)},
			{"what is known of a backup", "SELECT behind, noted FROM meta", func(scan func(...any) error) error {
				return scan(&m.Behind, &m.Noted)
			}},
		} {
			if err := t.rows(part.query, nil, part.scan); err != nil {
				return m, fmt.Errorf("read %s: %w", part.name, err)
			}
		}
		return m, nil
	})
}

// into appends each row to a list.
func into[T any](list *[]T, read func(scan func(...any) error) (T, error)) func(func(...any) error) error {
	return func(scan func(...any) error) error {
		v, err := read(scan)
		*list = append(*list, v)
		return err
	}
}

const sessionColumns = "shard, shards, id, resume_url, seq, self, self_name, self_bot, self_system, state, seen_at, " +
	"starts_left, starts_reset_at, identified_at"

func scanSession(scan func(...any) error) (s gapless.Session, err error) {
	err = scan(&s.Shard, &s.Shards, &s.ID, &s.ResumeURL, &s.Seq, id(&s.Self.ID), &s.Self.Name, &s.Self.Bot, &s.Self.System, &s.State,
		at(&s.SeenAt), &s.Starts.Remaining, at(&s.Starts.ResetAt), at(&s.Starts.IdentifiedAt))
	return s, err
}

func scanShard(scan func(...any) error) (s gapless.ShardMark, err error) {
	err = scan(&s.Shard, id(&s.Epoch), at(&s.Since), at(&s.At), at(&s.Restored))
	return s, err
}

func scanGuild(scan func(...any) error) (g gapless.GuildMark, err error) {
	err = scan(id(&g.ID), &g.Shard, &g.Name, id(&g.Epoch), id(&g.Listed), &g.Away, at(&g.JoinedAt), at(&g.ListedAt))
	return g, err
}

func scanRange(scan func(...any) error) (r gapless.Range, err error) {
	err = scan(id(&r.Place), id(&r.After), id(&r.Upto), &r.Reason, at(&r.At))
	return r, err
}
