package discordsim

// The intents the simulator looks at (protocol A7).
const (
	intentGuilds          = 1 << 0
	intentMembers         = 1 << 1
	intentPresences       = 1 << 8
	intentGuildMessages   = 1 << 9
	intentGuildReactions  = 1 << 10
	intentGuildTyping     = 1 << 11
	intentDirectMessages  = 1 << 12
	intentDirectReactions = 1 << 13
	intentDirectTyping    = 1 << 14
	intentContent         = 1 << 15
	intentGuildPolls      = 1 << 24
	intentDirectPolls     = 1 << 25
)

// knownIntents are the assigned bits: 0 to 16, 20, 21, 24 and 25. Any other is closed with 4013.
const knownIntents = 1<<17 - 1 | 1<<20 | 1<<21 | 1<<24 | 1<<25
