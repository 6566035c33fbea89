package discord

import (
	"context"
	"net/url"
	"time"

	"gapless"
	"gapless/internal/wire"
)

// Archived lists one page of a parent's archived threads: one call. Public and private ones are paged by the time of
// archiving, in full precision, and the next page overlaps by a microsecond, since several threads may share an
// instant; those we have joined are paged by id (protocol B10, C45, C47).
func (r *REST) Archived(ctx context.Context, parent gapless.ChannelID, list gapless.ArchivedList, cursor string) (gapless.Listing, error) {
	what := map[gapless.ArchivedList]string{
		gapless.ArchivedPublic:  "/threads/archived/public",
		gapless.ArchivedPrivate: "/threads/archived/private",
		gapless.ArchivedJoined:  "/users/@me/threads/archived/private",
	}[list]
	q := url.Values{"limit": {"100"}}
	if cursor != "" {
		q.Set("before", cursor)
	}
	c := call{
		route: "GET /channels/{channel}" + what, path: "/channels/" + parent.String() + what, query: q,
		major: parent.String(), priority: PriorityRecovery,
	}
	return fetch(ctx, r, c, func(b []byte) (gapless.Listing, error) {
		threads, more, err := wire.Archived(b)
		l := gapless.Listing{Threads: threads}
		if err == nil && more && len(threads) > 0 {
			l.Next = nextArchived(list, threads)
		}
		return l, err
	})
}

// nextArchived is the cursor behind a page. A page whose threads all share one instant cannot be overlapped: it would
// come again for ever.
func nextArchived(list gapless.ArchivedList, threads []gapless.Channel) string {
	first, last := threads[0], threads[len(threads)-1]
	if list == gapless.ArchivedJoined {
		return last.ID.String()
	}
	at := last.ArchiveAt
	if !first.ArchiveAt.Equal(at) {
		at = at.Add(time.Microsecond)
	}
	return at.UTC().Format("2006-01-02T15:04:05.999999Z07:00")
}
