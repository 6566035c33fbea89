package config

import (
	"fmt"
	"slices"
	"strings"
)

// Find is the key of that name, written as in the file or as its variable.
func Find(name string) (Key, bool) {
	i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name || k.Variable() == name })
	if i < 0 {
		return Key{}, false
	}
	return keys[i], true
}

// Explain says what there is to say about a key, a heading ("retry"), a
// setting of the reference ("discord.allow_bots") or a variable.
func Explain(name string) (string, error) {
	name = strings.TrimSuffix(strings.TrimSpace(name), ".")
	if key, ok := Find(name); ok {
		return key.explained(), nil
	}
	if name == botsKey {
		return "bots: a list of bots that run in one process. Each entry has a name, a token_file or token_env, and any key\n" +
			"that is not about the process; what stands outside of the list holds for all of them.\n", nil
	}
	var b strings.Builder
	for _, k := range OldKeys() {
		if k.Variable == name || k.Name != "" && (oldBlock+"."+k.Name == name || name == oldBlock) {
			b.WriteString(k.explained())
		}
	}
	for _, k := range keys {
		if strings.HasPrefix(k.Name, name+".") {
			fmt.Fprintf(&b, "%s: %s\n", k.Name, k.sentence())
		}
	}
	if b.Len() > 0 {
		return b.String(), nil
	}
	var known []string
	for _, k := range keys {
		known = append(known, k.Name)
	}
	return "", fmt.Errorf("there is no key %q: %s", name, guess(name, known))
}

func (k Key) explained() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  %s\n\n", k.Name, k.Says)
	fmt.Fprintf(&b, "takes:    %s\n", k.Accepts)
	if k.Default != "" {
		fmt.Fprintf(&b, "default:  %s\n", k.Default)
	}
	fmt.Fprintf(&b, "variable: %s%s\n", k.Variable(), k.separated())
	if k.Flag != "" {
		fmt.Fprintf(&b, "flag:     %s\n", k.Flag)
	}
	fmt.Fprintf(&b, "example:  %s\n", k.Example())
	fmt.Fprintf(&b, "changed:  %s\n", k.changed())
	for _, old := range oldKeys {
		if old.Key == k.Name {
			fmt.Fprintf(&b, "set by:   %s\n", old.title())
		}
	}
	return b.String()
}

// separated says how several values stand in a variable.
func (k Key) separated() string {
	switch {
	case k.Name == "handler.exec":
		return ", separated by white space"
	case k.List || k.Named:
		return ", separated by commas"
	}
	return ""
}

// changed says when a change takes effect.
func (k Key) changed() string {
	if k.Live {
		return "at once, when the daemon gets SIGHUP"
	}
	return "after a restart"
}

// Example is the key with a value as it stands in a file, on one line.
func (k Key) Example() string {
	text, levels := k.sample(), strings.Split(k.Name, ".")
	for _, level := range slices.Backward(levels[1:]) {
		text = "{" + level + ": " + text + "}"
	}
	return levels[0] + ": " + text
}

// sample is a value of the key as it stands in a file.
func (k Key) sample() string {
	text := k.Good[0]
	if k.Default != "" && !strings.Contains(k.Default, " or ") && !k.List && !k.Named && k.set(new(Config), []string{k.Default}, nil) == nil {
		text = k.Default
	}
	switch {
	case k.Named:
		name, v, _ := strings.Cut(text, "=")
		text = fmt.Sprintf(`{"%s": "%s"}`, name, v)
	case strings.ContainsAny(text, "*#{}"):
		text = `"` + text + `"`
	}
	if k.List {
		text = "[" + text + "]"
	}
	return text
}

// title is how the setting is called in the file and in the environment.
func (k OldKey) title() string {
	var names []string
	if k.Name != "" {
		names = append(names, oldBlock+"."+k.Name)
	}
	if k.Variable != "" {
		names = append(names, k.Variable)
	}
	return strings.Join(names, ", ")
}

func (k OldKey) explained() string {
	text := fmt.Sprintf("%s\n  of the reference; %s", k.title(), k.becomes())
	if k.Key != "" && k.Says != "" {
		text += ": " + k.Says
	}
	switch {
	case k.Key == "" || k.Name == "" || k.Variable == "":
	case k.hidden:
		text += ". The file counts before the variable, and a block " + oldMissed + " hides the variable"
	case k.fileFirst:
		text += ". The file counts before the variable"
	default:
		text += ". The variable counts before the file"
	}
	return text + "\n"
}
