package discordsim

// Kind names a way to misbehave. The number behind each is that of the fault menu (protocol G).
type Kind string

// Faults of dispatches; Match.Event, Channel, Guild and Message pick them.
const (
	// Drop loses a dispatch on the wire: s is consumed, the client sees a hole (G1). Keep lets a resume replay it.
	Drop Kind = "gateway.drop"
	// Swallow loses it before it gets an s: nothing shows (G2).
	Swallow Kind = "gateway.swallow"
	// Duplicate sends it twice with the same s (G3).
	Duplicate Kind = "gateway.duplicate"
	// Repeat sends it again with a new s (G4).
	Repeat Kind = "gateway.repeat"
	// Swap sends it after the one that follows it (G5).
	Swap Kind = "gateway.swap"
	// Late sends it after Delay, with the s of that moment (G6, G7, G8).
	Late Kind = "gateway.late"
	// Blank empties its content, embeds, attachments and components (G20).
	Blank Kind = "gateway.blank"
	// Strip removes Field from it (G19).
	Strip Kind = "gateway.strip"
	// Malformed replaces its frame by cut JSON, or by Body (G17); it is kept whole for replay.
	Malformed Kind = "gateway.malformed"
	// Undecodable keeps type and s but makes d a list, or Body (G17), in a replay too.
	Undecodable Kind = "gateway.undecodable"
	// Unknown sends an event of a type nobody knows, or of type Field, in front of it (G16).
	Unknown Kind = "gateway.unknown"
	// Huge pads d by Size bytes (G18).
	Huge Kind = "gateway.huge"
	// Deaf sends nothing while heartbeats are still ACKed; what is not sent is kept for replay (G22).
	Deaf Kind = "gateway.deaf"
	// AskReconnect sends op 7 in front of it (G25).
	AskReconnect Kind = "gateway.reconnect"
	// Invalidate sends op 9 with Resumable instead of it (G26).
	Invalidate Kind = "gateway.invalidate"
	// Hangup closes the connection with CloseCode instead of sending it (G27); it is kept for replay.
	Hangup Kind = "gateway.close"
	// Cut resets the TCP connection instead of sending it (G28); it is kept for replay.
	Cut Kind = "gateway.cut"
	// Fin closes TCP in an orderly way but without a close frame (G28); the dispatch is kept for replay.
	Fin Kind = "gateway.fin"
	// Tear resets it in the middle of the frame (G28); the dispatch is kept for replay.
	Tear Kind = "gateway.tear"
)

// Faults of connecting, identifying and heartbeats.
const (
	// Refuse answers an upgrade with Status (503 if zero), Body and HTML (G35); a negative Status resets the
	// connection, and Delay comes first, or being lifted.
	Refuse Kind = "gateway.refuse"
	// RefuseResumeURL does the same on the path of resume_gateway_url only (G32).
	RefuseResumeURL Kind = "gateway.refuse-resume-url"
	// NoHello accepts and stays silent (G30).
	NoHello Kind = "gateway.no-hello"
	// HelloReconnect sends op 7 in place of Hello (G25).
	HelloReconnect Kind = "gateway.hello-reconnect"
	// NoReady takes an identify and never answers (G31).
	NoReady Kind = "gateway.no-ready"
	// RefuseIdentify answers an identify with op 9 and Resumable, or closes with CloseCode if that is set (G26, G38).
	RefuseIdentify Kind = "gateway.refuse-identify"
	// RefuseResume answers a resume with op 9 and Resumable, or closes with CloseCode if that is set (G26).
	RefuseResume Kind = "gateway.refuse-resume"
	// CutResume resets the connection on a resume (G33).
	CutResume Kind = "gateway.cut-resume"
	// NoResumed replays and never says RESUMED (G11).
	NoResumed Kind = "gateway.no-resumed"
	// NoAck leaves heartbeats unanswered while events go on (G21).
	NoAck Kind = "gateway.no-ack"
	// LateAck answers them after Delay (G23).
	LateAck Kind = "gateway.late-ack"
	// VagueRefusal closes an identify or resume with a bad token with CloseCode, 4000 if zero, instead of 4004. It
	// matches no bot, for a bad token is nobody's.
	VagueRefusal Kind = "gateway.vague-refusal"
	// WrongShard accepts an identify of several shards but sends it the next shard's guilds (G37).
	WrongShard Kind = "gateway.wrong-shard"
	// Trickle writes frames at Rate bytes a second (G36).
	Trickle Kind = "gateway.trickle"
	// SlowRead takes the client's frames in at Rate bytes a second (G36).
	SlowRead Kind = "gateway.slow-read"
	// KeepTCP leaves TCP open after the client's close handshake (G29).
	KeepTCP Kind = "gateway.keep-tcp"
)

// Faults of the replay after a resume, and of guilds; Match.Event, Guild and Channel pick them.
const (
	// ReplayOmit leaves a dispatch out of the replay (G10).
	ReplayOmit Kind = "replay.omit"
	// ReplayTwice replays it twice (G10).
	ReplayTwice Kind = "replay.twice"
	// ReplayTruncate ends the replay in front of it and still says RESUMED (G10).
	ReplayTruncate Kind = "replay.truncate"
	// ReplayCut resets the connection in front of it.
	ReplayCut Kind = "replay.cut"
	// ReplayReconnect sends op 7 in front of it and ends the replay without RESUMED (G25).
	ReplayReconnect Kind = "replay.reconnect"
	// ReplayReverse replays everything backwards (G10); it is asked once per resume.
	ReplayReverse Kind = "replay.reverse"
	// ReplaySlow puts Delay between replayed dispatches, live ones come in between (G12); asked once per resume.
	ReplaySlow Kind = "replay.slow"
	// OmitGuild never sends a guild's GUILD_CREATE; its events flow (G13).
	OmitGuild Kind = "guild.omit"
	// LateGuild sends it after Delay; its events flow meanwhile (G7, G13).
	LateGuild Kind = "guild.late"
	// UnavailableGuild sends it as {id, unavailable} only (G13).
	UnavailableGuild Kind = "guild.unavailable"
	// OmitThreads leaves Thread, or if zero all threads, out of GUILD_CREATE and of active lists (G14, G52).
	OmitThreads Kind = "guild.omit-threads"
	// NullHeads makes every last_message_id of GUILD_CREATE null (G14).
	NullHeads Kind = "guild.null-heads"
	// StaleHeads makes every last_message_id of GUILD_CREATE that of Delay ago (G14).
	StaleHeads Kind = "guild.stale-heads"
	// OutageUnmarked leaves `unavailable` out of the GUILD_DELETE of an outage (G15).
	OutageUnmarked Kind = "guild.outage-unmarked"
)

// Faults of REST; Match.Method, Route, Channel, Guild and Bot pick them.
const (
	// Fail answers Status instead of doing anything: as JSON with Code, as Body, or as HTML (G41, G45, G46).
	Fail Kind = "rest.fail"
	// FailAfter does the deed and then answers as Fail does (G42).
	FailAfter Kind = "rest.fail-after"
	// Reset resets the connection before the deed (G55).
	Reset Kind = "rest.reset"
	// ResetAfter resets it after the deed (G42).
	ResetAfter Kind = "rest.reset-after"
	// CutBody resets it in the middle of the answer (G55).
	CutBody Kind = "rest.cut-body"
	// Limited answers 429 with Scope, Delay and RetryAfter (G39).
	Limited Kind = "rest.limited"
	// Bare leaves every X-RateLimit header out (G39); Retry-After stays.
	Bare Kind = "rest.bare"
	// NoStarts says in /gateway/bot that no session starts remain, for Delay (G54).
	NoStarts Kind = "rest.no-starts"
	// TrickleBody sends the body of an answer at Rate bytes a second (G43).
	TrickleBody Kind = "rest.trickle"
	// LyingHeaders says 999 requests remain, whatever the bucket holds (G39).
	LyingHeaders Kind = "rest.lying-headers"
	// Banned answers as Cloudflare does: 429, HTML, no Via (G40). Delay, if set, is its Retry-After.
	Banned Kind = "rest.banned"
	// Slow waits Delay plus Jitter before the deed (G43).
	Slow Kind = "rest.slow"
	// Hang does the deed when the fault is lifted, if the client is still there (G43).
	Hang Kind = "rest.hang"
	// HangAfter does the deed and holds the answer back until the fault is lifted (G42, G43).
	HangAfter Kind = "rest.hang-after"
	// Truncate sends half of the JSON as if it were whole (G44).
	Truncate Kind = "rest.truncate"
	// WrongType sends the answer as text/html (G44).
	WrongType Kind = "rest.wrong-type"
	// Null answers null instead of a list (G44).
	Null Kind = "rest.null"
	// EmptyPage answers a history request with no messages (G47).
	EmptyPage Kind = "rest.empty-page"
	// StuckPage answers it with the page the same channel got last, whatever is asked (G48).
	StuckPage Kind = "rest.stuck-page"
	// ShortPage answers with half of the page though more exists: the half nearest to the cursor (G48). A search
	// finds half of what there is (G53).
	ShortPage Kind = "rest.short-page"
	// Unsorted mixes the order within a page (G48).
	Unsorted Kind = "rest.unsorted"
	// Flip turns the order of messages of the same millisecond round (G48).
	Flip Kind = "rest.flip"
	// Overlap makes the page begin with the message of the cursor itself (G48).
	Overlap Kind = "rest.overlap"
	// Stale hides what was written in the last Delay from history (G9, G49).
	Stale Kind = "rest.stale"
	// BlankPage empties the texts of others in history (G20).
	BlankPage Kind = "rest.blank"
	// WrongMore turns has_more of archived lists round (G52).
	WrongMore Kind = "rest.wrong-more"
	// Unindexed answers searches with 202 (G53).
	Unindexed Kind = "rest.unindexed"
)

// Kinds lists every kind there is.
func Kinds() []Kind {
	return []Kind{Drop, Swallow, Duplicate, Repeat, Swap, Late, Blank, Strip, Malformed, Undecodable, Unknown, Huge,
		Deaf, AskReconnect, Invalidate, Hangup, Cut, Fin, Tear, KeepTCP, VagueRefusal, WrongShard, Trickle, SlowRead, Refuse, RefuseResumeURL, NoHello, HelloReconnect, NoReady,
		RefuseIdentify, RefuseResume, CutResume, NoResumed, NoAck, LateAck, ReplayOmit, ReplayTwice, ReplayTruncate,
		ReplayCut, ReplayReconnect, ReplayReverse, ReplaySlow, OmitGuild, LateGuild, UnavailableGuild, OmitThreads,
		NullHeads, StaleHeads, OutageUnmarked, Fail, FailAfter, Reset, ResetAfter, CutBody, Limited, LyingHeaders, Banned, Slow,
		Hang, HangAfter, Truncate, WrongType, Null, EmptyPage, StuckPage, ShortPage, Unsorted, Stale, BlankPage,
		WrongMore, Overlap, Unindexed, Bare, NoStarts, TrickleBody, Flip}
}
