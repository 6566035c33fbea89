//go:build unix

package subprocess

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// separate gives the command a process group of its own, so that it can be
// ended with everything it started, and so that an interrupt typed at our
// terminal reaches only us.
func separate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks every process of the group to end.
func terminate(leader *os.Process) error { return signalGroup(leader, syscall.SIGTERM) }

// kill ends what is left of the group.
func kill(leader *os.Process) error { return signalGroup(leader, syscall.SIGKILL) }

// signalGroup answers os.ErrProcessDone when no process of the group is left.
func signalGroup(leader *os.Process, sig syscall.Signal) error {
	err := syscall.Kill(-leader.Pid, sig)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
