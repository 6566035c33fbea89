// Command yardstick measures what every release is measured on: eight runs on
// real sockets and processes, each against a simulated Discord of its own,
// once with this daemon and once with a small model of the reference's rules.
//
//	go run ./internal/yardstick [-calls] [-json] [-run NAME] [-binary FILE]
//
// For each run it reports how many of the messages meant for the bot were
// answered, answered twice or lost, how many REST calls that took beside the
// least possible, and how many seconds from the mending of the fault until all
// was answered. Waits are scaled, so that all of it takes less than 40 seconds;
// the scale is printed.
//
// With -calls it counts instead, for the daemon alone, what recovery asks for
// against the least there is to ask for: nothing missed in up to 10,000
// channels, a few messages in many, many in one, and threads among them. That
// takes a minute or so; counts do not depend on how fast the machine is.
package main
