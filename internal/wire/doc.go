// Package wire reads Discord's JSON into gapless's words and writes the few payloads we send. It is the one place that
// knows Discord's field names.
//
//  1. Decoding is partial and tolerant: a field of an unexpected kind is left at its zero value and never spoils its
//     neighbours. Unknown message types, channel types and components are nothing special (C141).
//  2. A frame's envelope is read even where its payload cannot be (C142).
//  3. What cannot be understood well enough is reported as [gapless.Unreadable], never dropped and never guessed.
//  4. Messages keep the JSON they were read from, byte for byte.
//  5. Errors never quote what was read: it may be somebody's message.
package wire
