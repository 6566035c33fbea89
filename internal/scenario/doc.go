// Package scenario plays incidents: text scripts of what users, Discord, the network and the operator did, run
// against the real engine, the real clients and the real ledger on a simulated Discord, in virtual time.
//
//  1. A script is read whole before anything is played: a word that is not understood is an error with file, line
//     and what was expected there.
//  2. The same script with the same seed gives the same trace, down to the nanosecond.
//  3. Every run ends before the oracle, which is written once and knows no script: each message the bot could read
//     is settled, refused for a true reason or covered by a gap or a closed range; nothing was handled or answered
//     twice, out of order or for nothing; nothing leaked.
//  4. What the oracle lets pass beyond that, the script has asked for in so many words.
//
// [Parse] reads a script, [Script.Play] runs it inside a testing/synctest bubble, [Report] tells what came of it.
// docs/scenarios.md describes the language.
package scenario
