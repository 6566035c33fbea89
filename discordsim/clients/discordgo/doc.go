// Package discordgo holds tests only: an unmodified discordgo client against the simulator, as a witness from outside
// that the simulator speaks the protocol clients expect (F80), and of how that client behaves in trouble. It is a module
// of its own, so that nobody who uses gapless downloads discordgo.
package discordgo
