package subprocess

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"
)

// leftoverPatience is how long output is still read once the process group is
// gone: only a process that left the group can hold the pipe open then.
const leftoverPatience = 500 * time.Millisecond

// process is one run of a command, in a process group of its own.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *stream
	stderr *stream
	asked  *atomic.Bool // we asked it to end, and it was still there
}

// start runs the command with its output going to the writers. When ctx ends
// the group is asked to end, and killed once the grace is over. An error means
// that nothing runs.
func start(ctx context.Context, c Config, env []string, stdout, stderr io.Writer) (*process, error) {
	cmd := exec.CommandContext(ctx, c.Command[0], c.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = c.Dir, env, c.Grace
	separate(cmd)
	p := &process{cmd: cmd, asked: new(atomic.Bool)}
	cmd.Cancel = func() error {
		err := terminate(cmd.Process)
		if err == nil {
			p.asked.Store(true)
		}
		return err
	}
	if err := p.connect(stdout, stderr); err != nil {
		return nil, err
	}
	err := cmd.Start()
	p.stdout.started()
	p.stderr.started()
	if err != nil {
		p.stdin.Close()
		p.stdout.finish(0)
		p.stderr.finish(0)
		return nil, err
	}
	return p, nil
}

func (p *process) connect(stdout, stderr io.Writer) (err error) {
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	if p.stdout, err = newStream(stdout); err != nil {
		return errors.Join(err, p.stdin.Close())
	}
	if p.stderr, err = newStream(stderr); err != nil {
		p.stdout.started()
		p.stdout.finish(0)
		return errors.Join(err, p.stdin.Close())
	}
	p.cmd.Stdout, p.cmd.Stderr = p.stdout.child, p.stderr.child
	return nil
}

// wait returns once the process has ended, what was left of its group has been
// killed and all output is with the writers.
func (p *process) wait() *os.ProcessState {
	// The state says more than the error: who asked for the end is ours to know.
	_ = p.cmd.Wait()
	_ = kill(p.cmd.Process)
	p.stdout.finish(leftoverPatience)
	p.stderr.finish(leftoverPatience)
	return p.cmd.ProcessState
}

// stream carries one output of a process to a writer. Unlike the pipes of
// os/exec it does not make the end of the process wait for strangers that
// inherited the pipe.
type stream struct {
	ours, child *os.File
	done        chan struct{}
}

func newStream(w io.Writer) (*stream, error) {
	r, child, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s := &stream{ours: r, child: child, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		_, _ = io.Copy(w, r) // the writers do not fail; a read error is the end
	}()
	return s, nil
}

// started gives up our copy of the child's end.
func (s *stream) started() { s.child.Close() }

// finish reads on until the end, at most for the patience given.
func (s *stream) finish(patience time.Duration) {
	if s.ours.SetReadDeadline(time.Now().Add(patience)) != nil {
		s.ours.Close()
	}
	<-s.done
	s.ours.Close()
}
