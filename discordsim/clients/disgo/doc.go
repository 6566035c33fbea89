// Package disgo holds tests only: an unmodified disgo client against the simulator, as a witness from outside
// that the simulator speaks the protocol clients expect (F80). It is a module of its own, so that nobody who
// uses gapless downloads disgo.
package disgo
