package gapless

import "time"

// member names a user in a guild.
type member struct {
	guild GuildID
	user  UserID
}

// members remembers look-ups of members for a while, so that a role decides
// many messages at one call.
type members map[member]remembered

type remembered struct {
	Membership
	at time.Time
}

// membersLimit is how many are remembered at most; beyond it, those that count
// no longer go first.
const membersLimit = 10_000

func (k members) keep(who member, what Membership, now time.Time) {
	if len(k) >= membersLimit {
		for m, r := range k {
			if now.Sub(r.at) >= memberFor || len(k) >= membersLimit {
				delete(k, m)
			}
		}
	}
	k[who] = remembered{what, now}
}

// find is what was found out about a member not long ago, and after the message
// was written: a role may have been given since an earlier look.
func (k members) find(who member, wrote MessageID, now time.Time) Membership {
	if r, ok := k[who]; ok && now.Sub(r.at) < memberFor && !r.at.Before(wrote.Time()) {
		return r.Membership
	}
	return Membership{}
}

// changed forgets a member whose roles changed.
func (k members) changed(who member) { delete(k, who) }
