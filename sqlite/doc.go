// Package sqlite keeps the ledger in one SQLite file.
//
// What it adds to the contracts of gapless.Ledger:
//
//  1. An answered deed is on the disk: write-ahead log, synchronous=FULL.
//  2. One goroutine owns the writing connection. It takes all deeds that wait
//     into one transaction, so a hundred at once cost one flush; each still
//     stands or falls alone.
//  3. One process owns the data directory, by a lock that ends with it; the
//     next one gets gapless.ErrLocked and the owner's process id.
//  4. Rules live in the root: the ledger reads, calls Place.Apply, Gap.Apply,
//     Gap.Holds and Delivery.AfterReply, and writes what they say.
//  5. Text is stored apart from rows, removed with secure_delete on, and every
//     file is readable by its owner only from its first moment.
//  6. A database newer than the program, or damaged, is refused with the way
//     back in the error.
//
// In the data directory stand gapless.db with SQLite's -wal and -shm beside it,
// gapless.lock with the owner's process id, and gapless.witness with the
// ledger's id and the number of its commits, by which a restored backup is
// noticed (R15).
package sqlite
