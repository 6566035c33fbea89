package house_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gapless/internal/config"
)

// What can be configured stands in the README as the code has it.
func TestReadmeNamesEveryKey(t *testing.T) {
	if table := keyTable(); !strings.Contains(string(contents(t, root(t), "README.md")), table) {
		t.Errorf("README.md needs this table of what can be configured:\n\n%s", table)
	}
}

// keyTable is the table of all keys.
func keyTable() string {
	var b strings.Builder
	b.WriteString("| key | flag | default | meaning |\n|---|---|---|---|\n")
	for _, k := range config.Keys() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, quoted(k.Flag), k.Default, k.Says)
	}
	return b.String()
}

// quoted is a flag as code, empty for none.
func quoted(flag string) string {
	if flag == "" {
		return ""
	}
	return "`" + flag + "`"
}

// The Go bot of the README is a program.
func TestReadmeBotCompiles(t *testing.T) {
	dir, bot := root(t), t.TempDir()
	_, rest, found := strings.Cut(string(contents(t, dir, "README.md")), "```go\n")
	program, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("README.md shows no Go program")
	}
	for name, text := range map[string]string{
		"main.go": program,
		"go.mod":  "module example.com/bot\n\ngo 1.26\n\nrequire gapless v0.0.0\n\nreplace gapless => " + dir + "\n",
		"go.sum":  string(contents(t, dir, "go.sum")),
	} {
		if err := os.WriteFile(filepath.Join(bot, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	vet := exec.CommandContext(t.Context(), "go", "vet", "-mod=mod", ".")
	vet.Dir = bot
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
