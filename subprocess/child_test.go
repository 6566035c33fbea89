//go:build unix

package subprocess_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gapless"
	"gapless/subprocess"
)

// TestMain lets the test binary play the command of a handler.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "child" {
		os.Exit(children[os.Args[2]](os.Args[3:]))
	}
	os.Exit(m.Run())
}

// patience is how long a process may take for what it does at once on an idle
// machine.
const patience = time.Minute

// child is a command that plays one of children.
func child(name string, args ...string) []string {
	return append([]string{os.Args[0], "child", name}, args...)
}

var children = map[string]func(args []string) int{
	"echo": func([]string) int {
		io.Copy(os.Stdout, os.Stdin)
		return 0
	},
	"env": func([]string) int {
		fmt.Println(strings.Join(os.Environ(), "\n"))
		return 0
	},
	"exit": func(args []string) int { // status, standard error
		fmt.Println("half an answer")
		fmt.Fprint(os.Stderr, args[1])
		code, _ := strconv.Atoi(args[0])
		return code
	},
	"die": func([]string) int {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	},
	"print": func(args []string) int { // bytes
		n, _ := strconv.Atoi(args[0])
		for range n / 1000 {
			if _, err := fmt.Print(strings.Repeat("x", 1000)); err != nil {
				return 1
			}
		}
		return 0
	},
	"complain": func(args []string) int { // lines
		n, _ := strconv.Atoi(args[0])
		for i := range n {
			fmt.Fprintln(os.Stderr, "line", i, strings.Repeat("y", 600))
		}
		return 0
	},
	"bytes": func([]string) int {
		os.Stdout.Write([]byte("a\xff\xfeb\n"))
		return 0
	},
	"deaf": func([]string) int { // reads nothing
		fmt.Println("done anyway")
		return 0
	},
	"polite": func(args []string) int { // says that it runs, ends with 0 when asked
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		fmt.Println("partial")
		os.WriteFile(args[0], nil, 0o600)
		<-asked
		return 0
	},
	"family": func(args []string) int { // a grandchild that ignores requests; pids to a file
		signal.Ignore(syscall.SIGTERM)
		if len(args) > 1 {
			os.WriteFile(args[0], []byte(strconv.Itoa(os.Getpid())), 0o600)
			time.Sleep(time.Minute)
			return 0
		}
		cmd := exec.Command(os.Args[0], "child", "family", args[0], "grandchild")
		cmd.Stdout = os.Stdout
		cmd.Start()
		time.Sleep(time.Minute)
		return 0
	},
	"leaver": func(args []string) int { // leaves a grandchild behind that holds its output
		cmd := exec.Command(os.Args[0], "child", "family", args[0], "grandchild")
		cmd.Stdout = os.Stdout
		cmd.Start()
		for range 3000 {
			if b, _ := os.ReadFile(args[0]); len(b) > 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		fmt.Println("answer")
		return 0
	},
	"lines": linesChild,
}

// linesChild is a long-lived handler that does what the texts of its messages
// tell it to.
func linesChild(args []string) int {
	if len(args) > 0 && args[0] == "broken" {
		return 1
	}
	out := json.NewEncoder(os.Stdout)
	type object = map[string]any
	if len(args) == 0 {
		out.Encode(object{"type": "ready"})
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	var held []func()
	for in.Scan() {
		var e struct {
			Type string
			gapless.Envelope
		}
		if err := json.Unmarshal(in.Bytes(), &e); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Fprintln(os.Stderr, "got", e.Type, e.Delivery)
		if e.Type != "deliver" {
			continue
		}
		say := func(kind string, more object) {
			o := object{"type": kind, "delivery_id": e.Delivery, "fence": e.Fence}
			maps.Copy(o, more)
			out.Encode(o)
		}
		switch verb, rest, _ := strings.Cut(e.Messages[0].Text, " "); verb {
		case "say":
			say("reply", object{"text": rest})
			say("done", nil)
			say("reply", object{"text": "too late"})
		case "hold": // answered after release, in reverse
			held = append(held, func() { say("reply", object{"text": rest}); say("done", nil) })
		case "release":
			for i := len(held) - 1; i >= 0; i-- {
				held[i]()
			}
			say("done", nil)
		case "retry":
			say("retry", object{"after": 2.5})
		case "again":
			say("retry", object{"reason": "busy"})
		case "discard":
			say("discard", object{"reason": rest})
		case "stale":
			out.Encode(object{"type": "discard", "delivery_id": e.Delivery, "fence": e.Fence - 1})
			say("done", nil)
		case "chatter":
			fmt.Println("hello, I am not JSON")
			say("dance", nil)
			say("done", nil)
		case "garble":
			say("retry", object{"after": "soon"})
		case "work": // for so long, never silent
			length, _ := time.ParseDuration(rest)
			for end := time.Now().Add(length); time.Now().Before(end); {
				time.Sleep(50 * time.Millisecond)
				say("progress", nil)
			}
			say("done", nil)
		case "crash":
			return 3
		case "last":
			say("reply", object{"text": "last words"})
			say("done", nil)
			return 3
		case "flood":
			fmt.Println(strings.Repeat("z", 1<<20))
		case "hang":
			time.Sleep(time.Hour)
		}
	}
	return 0
}

// fence is the last one given out.
var fence atomic.Int64

// delivery is one turn as an engine hands it over, with a fence of its own.
func delivery(texts ...string) *gapless.Delivery {
	d := gapless.Delivery{
		ID: "1000000000000000001", Fence: gapless.Fence(fence.Add(1)), Attempt: 2, State: gapless.Leased,
		Place: gapless.Place{ID: 200000000000000002, Guild: 300000000000000003, Name: "general"},
	}
	for i, text := range texts {
		id := gapless.At[gapless.MessageID](time.Now().Add(-time.Hour)) + gapless.MessageID(i)
		d.Messages = append(d.Messages, gapless.Item{
			Origin: gapless.OriginHistory, Ground: gapless.OnMention, Message: gapless.Message{
				ID: id, Place: d.Place.ID, Text: text, Raw: json.RawMessage(`{"id":"1"}`),
				Author: gapless.User{ID: 400000000000000004, Name: "ann"},
			},
		})
	}
	return gapless.NewTurn(d)
}

// outlives reports whether the process whose pid is in the file still runs
// some time after it was killed.
func outlives(t *testing.T, file string) bool {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("the grandchild never ran: %v", err)
	}
	pid, err := strconv.Atoi(string(b))
	if err != nil {
		t.Fatal(err)
	}
	for range 2000 { // a killed process takes its moment to go
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if strings.Contains(string(state), ") Z") || (err != nil && syscall.Kill(pid, 0) != nil) {
			return false // gone, or only waiting for its adopted parent to notice
		}
		time.Sleep(10 * time.Millisecond)
	}
	return true
}

func newHandler(t *testing.T, c subprocess.Config) *subprocess.Handler {
	t.Helper()
	h, err := subprocess.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
