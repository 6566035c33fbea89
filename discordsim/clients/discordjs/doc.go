// Package discordjs holds tests only: an unmodified discord.js client against the simulator, as a witness from outside
// that the simulator speaks the protocol clients expect (F80), and of how that client behaves in trouble. The client
// runs in Node, driven by host.mjs; package-lock.json fixes its version.
package discordjs
