//go:build !unix

package subprocess

import (
	"os"
	"os/exec"
)

// separate does nothing: there are no process groups here.
func separate(*exec.Cmd) {}

// terminate ends the process; there is no way to ask.
func terminate(leader *os.Process) error { return leader.Kill() }

// kill ends the process.
func kill(leader *os.Process) error { return leader.Kill() }
