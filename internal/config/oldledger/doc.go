// Package oldledger reads the ledger of the reference (S55), the file
// discord_message_recovery.db, and says what of it becomes what in ours.
//
// The file is only read, with its write-ahead log, also while another process
// holds it open. What was answered there is settled here and never handled
// again; of every channel the highest id known is its head, so that what was
// written after it is recovered when the bot connects.
package oldledger
