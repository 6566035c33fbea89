package config_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gapless/internal/config"
)

var update = flag.Bool("update", false, "write docs/configuration.md")

// docs/configuration.md says of every key what the code does.
func TestConfigurationPage(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "configuration.md")
	want := page()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/configuration.md is not what the code says: go test ./internal/config -run TestConfigurationPage -update")
	}
}

const opening = `# Configuration

This page is written by a test from the tables in [internal/config](../internal/config); change it there.

` + "`gapless init` writes a commented file to begin with, `gapless config check` reads one and shows every mistake at once, or\nwhat counts and where it comes from; `gapless config explain KEY` says what stands here, and `gapless config schema` prints\na JSON Schema for editors." + `

Flags count before the environment, the environment before the file, the file before what the reference's settings map
to, those before defaults. In the file a dot in a key's name is a level. In the environment several values are separated
by commas, the words of a command by white space. A daemon that gets SIGHUP reads everything again: what is marked *at
once* below changes for messages not decided yet, everything else is reported as needing a restart, and a file with
mistakes changes nothing.

## Keys
`

const several = `
## Several bots

` + "A list under `bots` runs several bots in one process. Each has a name and a token of its own, by `token_file` or by\n`token_env`, and any key of this page but those of the log; what stands outside of the list holds for all of them. Each\nhas its own connection, policy, ledger and command, and one that fails leaves the others alone. Nothing of a bot comes\nfrom the environment then; variables that would count for a single bot are reported as not used. The same token twice, or\ntwo tokens of one account, are refused." + `

` + "```yaml\n" + botsExample + "```" + `

## The reference's settings

` + "The `discord:` block and the `DISCORD_*` variables of [the reference](behaviours.md) are accepted as they are, the block\nalso below a bot of the list. `gapless config check` shows what they became; numbers outside of their bounds are clamped\nand reported, what means nothing here is listed as not used, and nothing in the block is refused for its name. A key of\nour own counts before them. For `missed_message_backfill` the file counts before the variable, and a block that exists\nhides the variables of window, limit and dispatches; for everything else the variable counts first." + `

| in the block | variable | becomes | how |
|---|---|---|---|
`

const botsExample = `log: {format: json}      # of the process
policy: {everyone: true} # of every bot that does not say otherwise
bots:
  - name: helper
    token_file: /etc/gapless/helper.token
    handler: {exec: [./helper.sh]}
  - name: archivist
    token_env: ARCHIVIST_TOKEN
    policy: {users: [123456789012345678]}
    handler: {exec: [./archivist.py], mode: lines}
    data: /var/lib/archivist
`

// page is the whole page.
func page() string {
	var b strings.Builder
	b.WriteString(opening)
	for _, k := range config.Keys() {
		fmt.Fprintf(&b, "\n### `%s`\n\n%s\n\n- takes %s\n", k.Name, sentence(k.Says), k.Accepts)
		if k.Default != "" {
			fmt.Fprintf(&b, "- default: %s\n", k.Default)
		}
		fmt.Fprintf(&b, "- variable `%s`", k.Variable())
		if k.Flag != "" {
			fmt.Fprintf(&b, ", flag `%s`", k.Flag)
		}
		fmt.Fprintf(&b, "\n- `%s`\n", k.Example())
		if k.Live {
			b.WriteString("- changes at once on SIGHUP\n")
		}
	}
	b.WriteString(several)
	for _, k := range config.OldKeys() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", code(k.Name), code(k.Variable), code(k.Key), k.Says)
	}
	return b.String()
}

// sentence is a phrase as a sentence.
func sentence(s string) string {
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// code is a name as code, empty for none.
func code(name string) string {
	if name == "" {
		return ""
	}
	return "`" + name + "`"
}

// The example of several bots is one.
func TestBotsExample(t *testing.T) {
	if _, err := load(t, botsExample); err != nil {
		t.Error(err)
	}
}

// So is every key's own example.
func TestKeyExamples(t *testing.T) {
	for _, k := range config.Keys() {
		text := k.Example() + "\n"
		if k.Name == "retry.ceiling" {
			text = "retry: {base: 1ms, ceiling: 1ms}\n"
		}
		if _, err := load(t, text); err != nil {
			t.Errorf("%s: %v", k.Example(), err)
		}
	}
}
