// Package ledgertest holds what any ledger must do, in two forms: [Suite], with
// a subtest for each sentence of the contracts in gapless.Ledger, and [Memory],
// an in-memory ledger that passes it and serves as the double in tests of the
// engine. [Same] plays random deeds on a ledger and on a Memory and compares
// every answer.
//
// It is for tests; nothing in the daemon imports it.
package ledgertest
