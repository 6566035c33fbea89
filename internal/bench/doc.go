// Package bench holds the benchmarks of the whole way of a message: frames
// written to a real socket, read by discord.Gateway, decided by the engine,
// stored in a SQLite file and handled by a Go handler. It has no code but its
// benchmarks, which report and never judge: `make bench` runs them with all
// others, docs/performance.md says what they showed.
//
// Each benchmark runs what bounds it beside it, in turns in the same process:
// a bare reader of the same frames, or a bare loop of fsyncs. Absolute figures
// of a machine that others use are worth little; the ratios are worth more.
package bench
