-- +goose Up

-- Instants are nanoseconds since 1970, zero for none. Ids are snowflakes, zero for none. Words are checked with OR and
-- not with IN, which would build a table in memory for every row written.

CREATE TABLE meta (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    ledger  TEXT    NOT NULL,           -- made when the ledger was; the witness carries it too
    commits INTEGER NOT NULL,           -- transactions that changed something
    behind  INTEGER NOT NULL DEFAULT 0, -- commits the witness knew and the ledger did not, when it was found restored
    noted   INTEGER NOT NULL DEFAULT 0  -- how many of them the engine has taken note of
) STRICT;

CREATE TABLE sessions (
    shard           INTEGER PRIMARY KEY,
    shards          INTEGER NOT NULL,   -- how many shards the bot had; zero is one
    id              TEXT    NOT NULL,
    resume_url      TEXT    NOT NULL,
    seq             INTEGER NOT NULL,
    self            INTEGER NOT NULL,
    self_name       TEXT    NOT NULL,
    self_bot        INTEGER NOT NULL,
    self_system     INTEGER NOT NULL,
    state           TEXT    NOT NULL,
    seen_at         INTEGER NOT NULL,
    starts_left     INTEGER NOT NULL,
    starts_reset_at INTEGER NOT NULL,
    identified_at   INTEGER NOT NULL
) STRICT;

CREATE TABLE shards (
    shard INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    since INTEGER NOT NULL,
    at    INTEGER NOT NULL,
    restored INTEGER NOT NULL -- when the ledger was last found restored (R15)
) STRICT;

CREATE TABLE guilds (
    id        INTEGER PRIMARY KEY,
    shard     INTEGER NOT NULL,
    name      TEXT    NOT NULL,
    epoch     INTEGER NOT NULL,
    listed    INTEGER NOT NULL,
    away      INTEGER NOT NULL,
    joined_at INTEGER NOT NULL, -- when we joined, of our own membership
    listed_at INTEGER NOT NULL  -- when its inventory was last seen
) STRICT;

CREATE TABLE places (
    id         INTEGER PRIMARY KEY,
    guild      INTEGER NOT NULL,
    parent     INTEGER NOT NULL,
    kind       INTEGER NOT NULL,
    name       TEXT    NOT NULL,
    recipient  INTEGER NOT NULL,
    floor      INTEGER NOT NULL,
    verified   INTEGER NOT NULL,
    head       INTEGER NOT NULL,
    epoch      INTEGER NOT NULL,
    gone       INTEGER NOT NULL,
    hidden     INTEGER NOT NULL, -- never seen into (R5)
    out        INTEGER NOT NULL, -- not covered by configuration
    restored   INTEGER NOT NULL, -- its marks come from a backup and have met no inventory since (R15)
    takes_part INTEGER NOT NULL, -- the id from which on the bot takes part in the thread (S40)
    owes       INTEGER NOT NULL  -- since when its archived threads are owed a listing (R7)
) STRICT;

CREATE TABLE gaps (
    id        TEXT    PRIMARY KEY,
    place     INTEGER NOT NULL,
    began     INTEGER NOT NULL,
    after     INTEGER NOT NULL,
    upto      INTEGER NOT NULL,
    cause     TEXT    NOT NULL,
    opened_at INTEGER NOT NULL,
    hold_till INTEGER NOT NULL,
    obstacle  TEXT    NOT NULL,
    tries     INTEGER NOT NULL,
    due_at    INTEGER NOT NULL,
    ended     TEXT    NOT NULL, -- the reason, empty while open
    closed_at INTEGER NOT NULL,
    next      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX gaps_open ON gaps (place) WHERE ended = '';
CREATE INDEX gaps_closed ON gaps (closed_at) WHERE ended <> '';

-- Stretches that will not be read (R14).
CREATE TABLE ranges (
    place  INTEGER NOT NULL,
    after  INTEGER NOT NULL,
    upto   INTEGER NOT NULL,
    reason TEXT    NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (place, after, upto, reason)
) STRICT, WITHOUT ROWID;

CREATE INDEX ranges_at ON ranges (at);

-- Messages have their row here without their text, which is in texts.
CREATE TABLE messages (
    id         INTEGER PRIMARY KEY,
    place      INTEGER NOT NULL,
    lane       TEXT    NOT NULL,
    state      TEXT    NOT NULL CHECK (state = 'undecided' OR state = 'pending' OR state = 'claimed' OR state = 'deleted'),
    author     INTEGER NOT NULL DEFAULT 0,
    plain      INTEGER NOT NULL DEFAULT 0,  -- may be joined with its neighbours (S48)
    recovered  INTEGER NOT NULL,
    origin     TEXT    NOT NULL,
    ground     TEXT    NOT NULL,
    gap        TEXT    NOT NULL,
    edited_at  INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    lacks      TEXT    NOT NULL DEFAULT '', -- state undecided: what admission would have to know (R11)
    delivery   INTEGER NOT NULL DEFAULT 0, -- n of the one it is a member of; what became of it stands there
    answered   INTEGER NOT NULL DEFAULT 0, -- an own message referred to it
    gone       INTEGER NOT NULL DEFAULT 0, -- deleted in Discord
    ended_at   INTEGER NOT NULL DEFAULT 0  -- state deleted: since when
) STRICT;

CREATE INDEX messages_pending ON messages (lane, id, author, plain, recovered) WHERE state = 'pending';
CREATE INDEX messages_undecided ON messages (id) WHERE state = 'undecided';
CREATE INDEX messages_deleted ON messages (ended_at) WHERE state = 'deleted';

-- What messages say: present only while it is owed, and a short grace.
CREATE TABLE texts (
    id   INTEGER PRIMARY KEY,
    body TEXT NOT NULL,
    raw  BLOB
) STRICT;

-- Edits of messages that are not decided yet (R12).
CREATE TABLE edits (
    id        INTEGER PRIMARY KEY,
    edited_at INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    body      TEXT    NOT NULL,
    raw       BLOB
) STRICT;

CREATE INDEX edits_at ON edits (at);

-- Refused ids with their reasons, many to a row (R10). Ranges of rows may overlap.
CREATE TABLE refusals (
    n       INTEGER PRIMARY KEY,
    place   INTEGER NOT NULL,
    lowest  INTEGER NOT NULL,
    highest INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    ids     BLOB    NOT NULL
) STRICT;

CREATE INDEX refusals_place ON refusals (place, highest, lowest);
CREATE INDEX refusals_at ON refusals (at);

-- How many were refused, for ever.
CREATE TABLE refused (
    place  INTEGER NOT NULL,
    reason TEXT    NOT NULL,
    n      INTEGER NOT NULL,
    PRIMARY KEY (place, reason)
) STRICT, WITHOUT ROWID;

-- Refusals of messages that were meant for us, for explain.
CREATE TABLE addressed (
    id     INTEGER PRIMARY KEY,
    place  INTEGER NOT NULL,
    reason TEXT    NOT NULL,
    origin TEXT    NOT NULL,
    at     INTEGER NOT NULL
) STRICT;

CREATE INDEX addressed_at ON addressed (at);

CREATE TABLE deliveries (
    n             INTEGER PRIMARY KEY,  -- the id of the message it is named after, below zero for an operator's retry
    id            TEXT    NOT NULL,     -- of a retry; empty: n in decimal
    lane          TEXT    NOT NULL,
    place         INTEGER NOT NULL,
    first         INTEGER NOT NULL,     -- the message it is named after
    size          INTEGER NOT NULL,     -- how many members; zero once an operator's retry has taken them over
    members       TEXT    NOT NULL,     -- their ids, comma between; empty: first alone
    state         TEXT    NOT NULL CHECK (state = 'leased' OR state = 'waiting' OR state = 'answering' OR state = 'parked' OR state = 'settled' OR state = 'dead'),
    fence         INTEGER NOT NULL,
    boot          TEXT    NOT NULL,
    attempt       INTEGER NOT NULL,
    failed        INTEGER NOT NULL DEFAULT 0,
    interruptions INTEGER NOT NULL DEFAULT 0,
    not_before    INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    ended_at      INTEGER NOT NULL DEFAULT 0,
    reason        TEXT    NOT NULL DEFAULT '',
    detail        TEXT    NOT NULL DEFAULT '',
    retry_of      TEXT    NOT NULL DEFAULT '',
    deadline      INTEGER NOT NULL DEFAULT 0, -- leased: handed over until then
    effect        INTEGER NOT NULL DEFAULT 0, -- a turn of it has had an effect
    stripped      INTEGER NOT NULL DEFAULT 0 -- its text has been pruned
) STRICT;

CREATE UNIQUE INDEX deliveries_retry ON deliveries (id) WHERE id <> '';
-- One lease per lane (promise 3).
CREATE UNIQUE INDEX deliveries_lease ON deliveries (lane) WHERE state = 'leased';
CREATE INDEX deliveries_open ON deliveries (lane, state, first) WHERE state <> 'settled' AND state <> 'dead';
CREATE INDEX deliveries_dead ON deliveries (ended_at) WHERE state = 'dead';
CREATE INDEX deliveries_settled ON deliveries (stripped, ended_at, reason, size) WHERE state = 'settled';

CREATE TABLE replies (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT, -- the order in which they leave
    id        TEXT    NOT NULL UNIQUE,
    delivery  INTEGER NOT NULL, -- its n, zero for a letter
    kind      TEXT    NOT NULL, -- empty: a message; else a courtesy
    place     INTEGER NOT NULL,
    ordinal   INTEGER NOT NULL,
    text      TEXT    NOT NULL,
    target    INTEGER NOT NULL, -- the message that a courtesy is about
    reference INTEGER NOT NULL,
    nonce     TEXT    NOT NULL,
    state     TEXT    NOT NULL CHECK (state = 'intended' OR state = 'sent' OR state = 'refused' OR state = 'unknown'),
    intent_at INTEGER NOT NULL,
    tried_at  INTEGER NOT NULL,
    due_at    INTEGER NOT NULL,
    tries     INTEGER NOT NULL,
    message   INTEGER NOT NULL,
    detail    TEXT    NOT NULL,
    ended_at  INTEGER NOT NULL DEFAULT 0 -- when it was sent or refused
) STRICT;

CREATE INDEX replies_delivery ON replies (delivery, state, kind);
CREATE INDEX replies_letters ON replies (ended_at) WHERE delivery = 0;
CREATE INDEX replies_open ON replies (nonce) WHERE state IN ('intended', 'unknown');

CREATE TABLE passes (
    id         TEXT    PRIMARY KEY,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER NOT NULL,
    body       TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX passes_started ON passes (started_at, id);
