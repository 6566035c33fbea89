package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// demoBotCommand is the bot of the demonstration: an echo that can be told to
// fail. It is an ordinary command as any language could write it.
type demoBotCommand struct{}

// failsTwice in a message makes the bot fail at its first two attempts.
const failsTwice = "(fails twice)"

// Run reads the text of a message and answers it.
func (demoBotCommand) Run(sys *system) error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return fmt.Errorf("read the message: %w", err)
	}
	time.Sleep(30 * time.Millisecond) // thinking
	attempt := cmp.Or(sys.env.Get("GAPLESS_ATTEMPT"), "1")
	if strings.Contains(string(text), failsTwice) && attempt < "3" {
		return failure(75, fmt.Errorf("attempt %s fails as it was told to", attempt))
	}
	fmt.Fprintf(sys.out, "attempt %s: %s", attempt, text)
	return nil
}
