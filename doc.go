// Package gapless makes a Discord bot handle every message meant for it
// exactly once, whatever happens to its connection, its process or Discord.
//
// # Promises
//
//  1. Nothing counts as received before it is stored: the gateway sequence
//     moves only in the transaction that stores what it covers.
//  2. One door: live, replayed and recovered messages pass the same admission
//     and the same insert.
//  3. One claim: a message reaches a handler only through a fenced lease taken
//     in the ledger. No ledger, no dispatch.
//  4. Order: of the messages stored when a turn of a lane starts, the lowest
//     id starts first; a lane waits, bounded, for older messages still being
//     recovered.
//  5. Coverage grows only with its proof, in the transaction that stores the
//     rows of the range.
//  6. A gap closes only with a recorded reason.
//  7. Settled is final for the engine.
//  8. A reply is stored before it is sent; an unknown result is reconciled
//     before anything is sent again. A finished answer is never thought of
//     twice.
//  9. Bounds delay or record; they never lose.
//  10. First contact never replays.
//
// # Use
//
// Make an [Engine] from a [Config] with a [Ledger], a [History], a [Replier]
// and a [Handler]; give it to a source, which hands it batches of events
// through [Engine.Admit]; and call [Engine.Run]. The daemon in cmd/gapless does
// just this with discord.Gateway, discord.REST and sqlite.Ledger.
//
// The package holds the vocabulary, the rules and the engine. Rules are pure
// functions of values: [Admit], [Place.Heard], [Place.Listed], [Discovered],
// [Gap.Read], [NextGap], [Delivery.Next]. It reaches no network, no database
// and no process.
package gapless
