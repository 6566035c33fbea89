// Package witness holds what the tests of all outside clients share: a world on a socket, the incidents it plays to a
// client, and the words in which it tells what the client did.
//
// The expectations are not in code. docs/simulator.md holds two tables, one of connections and one of requests, with a
// row for each incident and a column for each client library; Gateway and REST play every row and compare what the
// simulator recorded with the cell. So the page says what was observed, and a client or a simulator that changes its
// ways turns a test red.
//
// A cell is made of steps, separated by semicolons, in the order in which they happened:
//
//	closes 1012              the client closed the connection with that code
//	answers 1000             the client answered the simulator's close with that code
//	hangs up                 the client ended TCP without a close frame
//	resumes on /resume/      op 6, on a new connection to that path, or "on the same socket"
//	identifies on /gateway/  op 2; a refusal of either stands behind it in brackets
//	again and again          what stands before is repeated, at least twice
//	stops                    the client has given up
//	heard, lost              whether the message in question reached the application; "without content" is an empty one
//	the next too             nor did the message after it
//
// "after 1 s", in the first resume or identify, is the least time since the connection ended, or in the table of requests
// since the first try; some more is let pass for a busy machine. Without it the time is less than a second.
package witness
