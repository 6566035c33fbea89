package config

import (
	"fmt"
	"strings"
)

// Sample is a file to begin with: the command, and every other key with its
// meaning and default as a comment.
func Sample() string {
	var b strings.Builder
	b.WriteString(`# What gapless does. A key is explained by:  gapless config explain KEY
# This file is checked by:                   gapless config check
# For editors there is a JSON Schema:        gapless config schema > gapless.schema.json
# yaml-language-server: $schema=gapless.schema.json

# The token does not belong here: give it by DISCORD_TOKEN, or name a file of mode 0600 with token_file.
`)
	var open []string // the headings that the last key stands below
	for _, k := range keys {
		levels := strings.Split(k.Name, ".")
		above, name := levels[:len(levels)-1], levels[len(levels)-1]
		if len(above) == 0 || len(open) == 0 || above[0] != open[0] {
			b.WriteString("\n")
			open = nil
		}
		for depth, level := range above {
			if depth >= len(open) || open[depth] != level {
				fmt.Fprintf(&b, "%s%s:\n", strings.Repeat("  ", depth), level)
				open = nil
			}
		}
		open = above
		indent, comment := strings.Repeat("  ", len(above)), "#"
		if k.Name == "handler.exec" {
			comment = ""
		}
		fmt.Fprintf(&b, "%s# %s\n%s%s%s: %s\n", indent, k.sentence(), indent, comment, name, k.sample())
	}
	return b.String()
}
