package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCommand shows which build this is.
type versionCommand struct{}

// Run prints one line.
func (versionCommand) Run(sys *system) error {
	_, err := fmt.Fprintf(sys.out, "gapless %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel-" + s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}
