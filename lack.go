package gapless

// Lack is what admission would have to know to decide a message (R11). While
// something lacks, the message is neither refused nor let in.
type Lack string

// The lacks, and what makes each of them good.
const (
	LackPlace     Lack = "place"     // the message's channel is not known, or not described: its kind, guild, name, parent
	LackParent    Lack = "parent"    // the channel a thread is in, or a category, is not known well enough to look for it in a list
	LackReference Lack = "reference" // the message it replies to did not come along: one read of that message
	LackMember    Lack = "member"    // the author's roles in the guild are not known: one look-up, worth remembering
	LackRole      Lack = "role"      // which role of the guild is our own is not known: its inventory says so
	LackText      Lack = "text"      // it came blank: Discord hides what it says, or left it out (R9)
	LackHistory   Lack = "history"   // whether the bot takes part in the thread: what was said there before is still to be read
	LackName      Lack = "name"      // the author's user name did not come along: one read of the message
)
