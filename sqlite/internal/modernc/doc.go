// Package modernc proves that the ledger is not bound to its driver: its tests
// run the ledger's suite on modernc.org/sqlite. Nothing imports it.
package modernc
