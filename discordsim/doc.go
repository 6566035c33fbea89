// Package discordsim is a Discord to test against: gateway and REST on one listener, with a knob for
// every way the real one misbehaves, and a record of the truth to compare an application with.
//
//  1. It is an independent witness. It shares no code with the rest of this module and imports none of it.
//  2. It behaves as Discord documents and as the field reports; test names carry the numbers of the
//     checklist (F1 to F80) and of the fault menu (G1 to G61).
//  3. It tells the time only through package time, so in a testing/synctest bubble it runs on virtual time,
//     over the in-memory network of NewMemory. Over 127.0.0.1 it runs on real time.
//  4. Everything it does is serialised under one lock and drawn from Server.Seed: the same script gives the
//     same ids, the same sequence numbers and the same order on each connection.
//  5. Whatever a client did is on record: each connection with its close code, each identify, resume and
//     heartbeat, each request with its answer.
//  6. When Close returns it has cut every connection, and every goroutine it started is ending.
//
// A Server is used as a zero value; fields set before Serve are its knobs. The people and places of the
// world are made with methods (AddBot, AddGuild, AddChannel, Post) or loaded from channel exports (Import), and
// faults with Inject. The same is to be had over HTTP under /_sim/ for a separate process, as described in
// docs/discordsim.openapi.yaml; that door has no lock and belongs on loopback only.
//
// What is not simulated: the etf encoding (its connections are closed with 4002), voice, interactions, webhooks
// over REST, group direct messages, presences and moderation logs. Opcodes for them are taken and have no effect.
//
// The clock of a fresh bubble starts in the year 2000, before Discord's epoch: sleep to a date after January
// 2015 (plus a month, for ids of 17 digits) before the first deed, or ids cannot be made and methods panic.
//
// Methods that build the world panic when given an id that was never handed out, for that is a mistake in
// the test. Deeds that Discord would refuse (posting where the channel is gone) return an error.
package discordsim
