package subprocess

import (
	"errors"
	"fmt"
	"os"

	"gapless"
)

// The exit statuses with a meaning, as sysexits.h has them.
const (
	ExitDone    = 0  // handled; what was printed is the answer
	ExitDiscard = 65 // EX_DATAERR: not worth another attempt
	ExitRetry   = 75 // EX_TEMPFAIL: try again later
)

// Why we ended a process ourselves.
var (
	errTimeLimit = errors.New("time limit reached")
	errTooMuch   = errors.New("printed too much")
)

// verdict reads how a process that we let run to its end ended. said is the
// first line of its standard error, or empty.
func verdict(state *os.ProcessState, said string) error {
	code := state.ExitCode()
	switch {
	case code == ExitDone:
		return nil
	case code == ExitDiscard && said != "":
		return gapless.Discard(said)
	case code == ExitDiscard:
		return gapless.Discard("exit 65")
	case code < 0:
		return fmt.Errorf("command died: %s", state)
	case said != "":
		return fmt.Errorf("exit %d: %s", code, said)
	}
	return fmt.Errorf("exit %d", code)
}
