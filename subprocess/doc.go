// Package subprocess hands deliveries to a command, in any language.
//
// [Handler] starts one process per delivery:
//
//  1. Standard input is the delivery, as JSON (gapless.Envelope) or, with
//     [Text], as the bare text of its messages. The ids are in the environment
//     either way, as GAPLESS_DELIVERY_ID, GAPLESS_ATTEMPT and so on.
//  2. Standard output is the answer. Nothing on it is a deliberate silence.
//  3. The exit status is the verdict: 0 done, 75 retry, 65 discard, with the
//     first line of standard error as the reason. Any other status and death
//     by a signal are a retry.
//  4. Standard error goes to the log, bounded, and each line of it counts as a
//     sign of life.
//  5. A command that cannot be started was not reached: that costs no attempt
//     (gapless.Unavailable).
//
// [Lines] keeps one process for all deliveries and speaks JSON lines with it.
// It writes, one line each:
//
//	{"type":"deliver","delivery_id":"…","fence":7,"attempt":1,…}  a gapless.Envelope
//	{"type":"cancel","delivery_id":"…","fence":7,"reason":"…"}    the turn is over; stop working on it
//
// and reads, in any order and interleaved as the process likes:
//
//	{"type":"ready"}                                               optional, see below
//	{"type":"reply","delivery_id":"…","fence":7,"text":"…"}        a part of the answer
//	{"type":"progress","delivery_id":"…","fence":7}                still at work
//	{"type":"done","delivery_id":"…","fence":7}                    handled; the replies are the answer
//	{"type":"retry","delivery_id":"…","fence":7,"after":30,"reason":"…"}  seconds; without after, back-off
//	{"type":"discard","delivery_id":"…","fence":7,"reason":"…"}
//
// Every answer names its turn by delivery_id and fence; one that names no
// running turn is logged and passed over. A process counts as started with its
// first line, or once it has lived for half a second; one that ends earlier
// was not reached, and no delivery was handed to it. When a process dies, the
// turns it held are tried again, and a new one is started with back-off.
//
// Both give the command a clean environment without the bot's token, use no
// shell, and end its whole process group when the turn is over: what a command
// leaves running in the background must leave the group (setsid) to live on.
// On systems without process groups only the process itself is ended.
package subprocess
