package config

import (
	"path/filepath"
	"strings"
)

// Environment looks a variable up, as os.LookupEnv does.
type Environment func(name string) (value string, ok bool)

// Get is the variable's value, empty if it is not set.
func (e Environment) Get(name string) string {
	if e == nil {
		return ""
	}
	value, _ := e(name)
	return value
}

// lookup is the variable's value, and whether it is set.
func (e Environment) lookup(name string) (value string, ok bool) {
	if e == nil {
		return "", false
	}
	return e(name)
}

// DefaultData is where ledgers are kept unless configured: the directory that
// systemd made for the service (STATE_DIRECTORY), else $XDG_STATE_HOME/gapless,
// else ~/.local/state/gapless.
func DefaultData(env Environment) string {
	if dir, _, _ := strings.Cut(env.Get("STATE_DIRECTORY"), ":"); dir != "" {
		return dir
	}
	if dir := env.Get("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "gapless")
	}
	return filepath.Join(home(env), ".local", "state", "gapless")
}

// DefaultFile is the file that is read unless another is named: gapless.yaml
// in the working directory, else in $XDG_CONFIG_HOME/gapless or
// ~/.config/gapless. exists says whether there is a file of that name.
func DefaultFile(env Environment, exists func(path string) bool) string {
	dir := env.Get("XDG_CONFIG_HOME")
	if dir == "" {
		dir = filepath.Join(home(env), ".config")
	}
	for _, path := range []string{"gapless.yaml", filepath.Join(dir, "gapless", "gapless.yaml")} {
		if exists(path) {
			return path
		}
	}
	return ""
}

func home(env Environment) string {
	if dir := env.Get("HOME"); dir != "" {
		return dir
	}
	return env.Get("USERPROFILE")
}

// expand replaces a leading ~/ by the home directory.
func expand(path string, env Environment) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home(env), rest)
	}
	return path
}

// variable is the name of a key in the environment.
func variable(key string) string {
	return "GAPLESS_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}
