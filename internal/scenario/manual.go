package scenario

import (
	"fmt"
	"strings"
)

// Manual describes every command of the language, as docs/scenarios.md has it below its introduction. It is made from
// the table the parser works with, so nothing can be missing.
func Manual() string {
	var b strings.Builder
	for _, ch := range language() {
		fmt.Fprintf(&b, "### %s\n\n", ch.title)
		if ch.says != "" {
			fmt.Fprintf(&b, "%s\n\n", ch.says)
		}
		for _, c := range ch.commands {
			fmt.Fprintf(&b, "- `%s`\n  %s\n", c.usage, c.says)
		}
		b.WriteString("\n")
	}
	b.WriteString("### Settings of `set`\n\n")
	b.WriteString("Every field of `gapless.Config` that is a plain value, and of the structs in it. ")
	b.WriteString("What each means stands with the field.\n\n" + table(engineSettings()))
	b.WriteString("\n### Knobs of `discord`\n\nFields of `discordsim.Server`.\n\n" + table(discordSettings()))
	b.WriteString("\n### Knobs of `gateway`\n\nFields of `discord.GatewayConfig`.\n\n" + table(gatewaySettings()))
	b.WriteString("\n### Knobs of `rest`\n\nFields of `discord.RESTConfig`.\n\n" + table(restSettings()))
	return b.String()
}

func table(all []setting) string {
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "- `%s` (%s)\n", s.key, s.says())
	}
	return b.String()
}
