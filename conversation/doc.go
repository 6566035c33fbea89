// Package conversation makes a bot good company: it shows that a message is
// being worked on, opens threads, and tells the handler what was said before.
//
// Nothing here decides whether a message is handled. All of it is best effort:
// what fails is logged and left out, and the engine runs without the room just
// as well.
package conversation
