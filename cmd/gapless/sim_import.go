package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"gapless/discordsim"
)

// bring loads the channel exports of a file or folder into the simulated world
// and joins its bot to their guilds. What is damaged is told of on errs and left
// out; only an import that brings nothing is an error.
func bring(sim *discordsim.Server, bot discordsim.ID, path string, errs io.Writer) (*discordsim.Imported, error) {
	got, err := sim.Import(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, failure(exitUsage, fmt.Errorf("--import %s: %w", path, rootCause(err)))
	case err == nil && got.Files == 0:
		return nil, failure(exitUsage, fmt.Errorf("--import %s: no file in it ends in .json", path))
	case err != nil && got.Messages == 0:
		return nil, failure(exitData, fmt.Errorf("--import %s brought nothing: %w", path, err))
	case err != nil:
		fmt.Fprintln(errs, strings.TrimSpace(err.Error()))
	}
	for _, guild := range got.Guilds {
		sim.Join(guild, bot)
	}
	return &got, nil
}

// tell says in words what an import brought.
func tell(got *discordsim.Imported, out io.Writer) {
	fmt.Fprintf(out, "Imported %d messages of %d people in %d channels; %d were left out. The bot is in guild %v.\n\n",
		got.Messages, got.Users, got.Channels, got.Skipped, strings.Trim(fmt.Sprint(got.Guilds), "[]"))
}
