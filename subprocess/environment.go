package subprocess

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"gapless"
)

// passed are the variables of ours that every process may see: what programs
// need to find their parts and to format text.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR",
	"SYSTEMROOT", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", // Windows
}

// secret reports whether a variable leads to the bot's token.
func secret(name string) bool {
	return strings.HasPrefix(name, "DISCORD_TOKEN") || name == "CREDENTIALS_DIRECTORY"
}

// cleanEnviron keeps of environ what a process may see: the clean set, locales,
// and the names in allow.
func cleanEnviron(environ, allow []string) []string {
	var clean []string
	for _, entry := range environ {
		name, _, ok := strings.Cut(entry, "=")
		if !ok || name == "" || secret(name) {
			continue
		}
		if slices.Contains(passed, name) || strings.HasPrefix(name, "LC_") || slices.Contains(allow, name) {
			clean = append(clean, entry)
		}
	}
	return clean
}

// describe adds the facts of a delivery to the environment of its process.
// Names of people are stripped of what an environment cannot hold.
func describe(env []string, d *gapless.Delivery, now time.Time) []string {
	first := d.First()
	env = slices.Clip(env)
	for _, v := range []struct{ name, value string }{
		{"DELIVERY_ID", string(d.ID)},
		{"ATTEMPT", strconv.Itoa(d.Attempt)},
		{"CHANNEL_ID", d.Place.ID.String()},
		{"GUILD_ID", optional(d.Place.Guild)},
		{"PARENT_ID", optional(d.Place.Parent)},
		{"MESSAGE_ID", first.ID.String()},
		{"MESSAGES", strconv.Itoa(len(d.Messages))},
		{"AUTHOR_ID", first.Author.ID.String()},
		{"AUTHOR", strings.ReplaceAll(first.Author.Name, "\x00", "")},
		{"LATE_BY", strconv.FormatFloat(d.LateBy(now).Seconds(), 'f', 3, 64)},
		{"RECOVERED", strconv.FormatBool(recovered(d))},
	} {
		env = append(env, "GAPLESS_"+v.name+"="+v.value)
	}
	return env
}

// optional is the id, or nothing where there is none.
func optional[K any](id gapless.ID[K]) string {
	if id == 0 {
		return ""
	}
	return id.String()
}

func recovered(d *gapless.Delivery) bool {
	return slices.ContainsFunc(d.Messages, func(it gapless.Item) bool { return it.Origin.Recovered() })
}

// ourEnviron is what the processes of one handler inherit; it is read once.
func ourEnviron(allow []string) []string { return cleanEnviron(os.Environ(), allow) }
