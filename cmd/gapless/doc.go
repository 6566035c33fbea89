// Command gapless holds a bot's connection to Discord and hands every message
// meant for the bot to a command, once, whatever happens in between.
//
//	gapless run --exec ./bot.sh --input text --allow-everyone
//
// It ends with one of these statuses:
//
//	0  it was asked to stop and did, or the command did what it says
//	1  something unexpected failed; the last line says what
//	2  it was called or configured wrongly
//	3  Discord refuses the bot: its token, or what it asks for; starting again changes nothing
//	4  another process holds the ledger of this bot
//	5  the data directory or the ledger in it cannot be used
//	6  the demonstration lost, repeated or reordered something
package main
