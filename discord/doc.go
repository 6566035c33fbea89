// Package discord is everything that talks to Discord: the gateway session, history, listings, replies and rate limits.
//
// The gateway ([Gateway]):
//
//  1. The sequence moves only when what it covers has been stored: frames are handed to a [Sink] in batches, and a
//     batch's sequence counts once Admit has returned nil. Heartbeats and resumes carry that stored sequence.
//  2. Session id, resume URL and sequence are set and cleared as one (C10). They survive the process, so the next one
//     resumes (C16); no close frame of 1000 or 1001, which would end the session, can leave us (C11).
//  3. The goroutine that reads never waits for a handler or for REST, only for the bounded queue in front of the sink;
//     that time is not held against Discord's acknowledgements.
//  4. Every step has a deadline, one owner reconnects, and nothing but the end of the context or a refusal that no
//     repetition can mend makes Run return (C19, C144).
//  5. Identifies are counted before they are sent and the count outlives the process (C14).
//
// The shards of a bot ([Shards]) are gateways side by side:
//
//   - Each has a session of its own, which outlives the process; one of another number of shards is not resumed.
//   - They identify in turns, as many side by side as Discord allows and one at a time when few identifies are left.
//   - Where nobody says how many there are it is what Discord recommends, looked at before an identify, so that it costs
//     no call; it is followed when no session would be given up for it, or when Discord refuses the number (4010, 4011).
//
// REST ([REST]):
//
//  6. A request waits once, exactly as long as the limits require, replies before look-ups before recovery; recovery
//     keeps a tenth of the global rate.
//  7. The token is in the Authorization header of requests to the configured API and nowhere else: no log, no error,
//     no other host.
//  8. What is repeated is safe to repeat: reads, and posts whose nonce is enforced.
package discord
