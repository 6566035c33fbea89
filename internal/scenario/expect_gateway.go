package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gapless/discordsim"
)

func gatewayExpectations() []command {
	return []command{
		{"expect identifies", "expect identifies COMPARISON [since MARK]", "How many identifies Discord got.", func(ph *phrase) func(*player) error {
			want, since := ph.comparison("a number of identifies"), ph.since()
			return func(p *player) error {
				n := 0
				for _, c := range p.sim.Connections() {
					n += count(c.Identifies, p.marks[since], func(i discordsim.Identify) time.Time { return i.At })
				}
				return unless(want.holds(n), "there were %d", n)
			}
		}},
		{"expect resumes", "expect resumes COMPARISON [since MARK]", "How many resumes Discord got, successful or not.", func(ph *phrase) func(*player) error {
			want, since := ph.comparison("a number of resumes"), ph.since()
			return func(p *player) error {
				n := count(p.resumes(), p.marks[since], func(r discordsim.Resume) time.Time { return r.At })
				return unless(want.holds(n), "there were %d", n)
			}
		}},
		{"expect resume", "expect resume [seq N] [session N] [result RESULT]",
			"The last resume carried this sequence number, named the session Discord opened as its Nth, and came to this: RESUMED or the reason why not.", readResume},
		{"expect connections", "expect connections COMPARISON [since MARK]", "How many gateway connections were opened.", func(ph *phrase) func(*player) error {
			want, since := ph.comparison("a number of connections"), ph.since()
			return func(p *player) error {
				n := count(p.sim.Connections(), p.marks[since], func(c discordsim.Connection) time.Time { return c.Opened })
				return unless(want.holds(n), "there were %d", n)
			}
		}},
		{"expect closed with", "expect closed with CODE", "The client closed its last closed connection with this code; -1 is none.", func(ph *phrase) func(*player) error {
			code := ph.number("a close code")
			return func(p *player) error {
				got := p.closes()
				return unless(len(got) > 0 && got[len(got)-1] == code, "the client closed with %v", got)
			}
		}},
		{"expect never closed with", "expect never closed with CODE...", "The client never closed a connection with any of these.", func(ph *phrase) func(*player) error {
			var codes []int
			for len(codes) == 0 || !ph.done() {
				codes = append(codes, ph.number("a close code"))
			}
			return func(p *player) error {
				got := p.closes()
				return unless(!slices.ContainsFunc(got, func(c int) bool { return slices.Contains(codes, c) }), "the client closed with %v", got)
			}
		}},
		{"expect connected", "expect connected yes|no", "Whether a session of the bot is up, as Discord sees it.", func(ph *phrase) func(*player) error {
			want := ph.oneOf("yes or no", "yes", "no") == "yes"
			return func(p *player) error { return unless(p.connected() == want, "connected: %t", p.connected()) }
		}},
		{"expect state", "expect state WORD", "What the gateway says it is doing: " + listed([]string{"ready", "connecting", "stopped"}) + " and so on.", func(ph *phrase) func(*player) error {
			want := ph.word("a state")
			return func(p *player) error {
				proc, err := p.process(mainProcess)
				if err != nil {
					return err
				}
				return unless(proc.gatewayState() == want, "it is %q", proc.gatewayState())
			}
		}},
		{"expect heartbeat", "expect heartbeat seq N", "The last heartbeat carried this sequence number.", func(ph *phrase) func(*player) error {
			ph.need("seq")
			want := ph.number("a sequence number")
			return func(p *player) error {
				conns := p.sim.Connections()
				for _, c := range slices.Backward(conns) {
					if n := len(c.Heartbeats); n > 0 {
						seq := c.Heartbeats[n-1].Seq
						return unless(seq != nil && *seq == int64(want), "it carried %s", text(seq))
					}
				}
				return unless(false, "there was none")
			}
		}},
	}
}

func text(seq *int64) string {
	if seq == nil {
		return "null"
	}
	return strconv.FormatInt(*seq, 10)
}

// count counts what happened since an instant.
func count[T any](all []T, since time.Time, at func(T) time.Time) int {
	n := 0
	for _, one := range all {
		if !at(one).Before(since) {
			n++
		}
	}
	return n
}

// resumes are all resumes Discord got, in order.
func (p *player) resumes() []discordsim.Resume {
	var all []discordsim.Resume
	for _, c := range p.sim.Connections() {
		all = append(all, c.Resumes...)
	}
	slices.SortFunc(all, func(a, b discordsim.Resume) int { return a.At.Compare(b.At) })
	return all
}

// closes are the codes with which the client closed its connections.
func (p *player) closes() []int {
	var codes []int
	for _, c := range p.sim.Connections() {
		if !c.Closed.IsZero() {
			codes = append(codes, c.ClientClose)
		}
	}
	return codes
}

func readResume(ph *phrase) func(*player) error {
	seq, session, result := -1, 0, ""
	for !ph.done() {
		switch ph.oneOf("seq, session or result", "seq", "session", "result") {
		case "seq":
			seq = ph.number("a sequence number")
		case "session":
			session = ph.number("which session, from 1")
		case "result":
			result = ph.word("a result")
		}
	}
	return func(p *player) error {
		all := p.resumes()
		if len(all) == 0 {
			return unless(false, "there was no resume")
		}
		last := all[len(all)-1]
		nth := 1 + slices.IndexFunc(p.sim.Sessions(), func(s discordsim.Session) bool { return s.ID == last.Session })
		return unless((seq < 0 || last.Seq == int64(seq)) && (session == 0 || nth == session) && (result == "" || strings.EqualFold(result, last.Result)),
			"the last resume carried seq %d of session %d and came to %q", last.Seq, nth, last.Result)
	}
}

func operatorExpectations() []command {
	return []command{
		{"expect pass", "expect pass last|N FIELD=VALUE...", "The last pass, or the Nth, has these fields: " + listed(passWords) + ". `unaudited` counts places, `round` is how long a whole turn of audits takes, both of a pass that audited.", readPass},
		{"expect passes", "expect passes COMPARISON [with FIELD=VALUE...]", "How many passes ended that have these fields.", readPasses},
		{"expect log has", `expect log has "TEXT"`, "A line of the log has this text in it.", readLog(true)},
		{"expect log lacks", `expect log lacks "TEXT"`, "No line of the log has it.", readLog(false)},
		{"expect status", "expect status PATH COMPARISON", "A number in the ledger's status, by its path in the JSON, such as `deliveries.dead` or `refused.own`; a list counts its entries, what is missing is 0.", readStatus},
		{"expect ended", `expect ended ["TEXT"] [PROCESS]`, "The process has ended by itself, with that text in its error.", readEnded},
	}
}

// passWords are the fields of a pass that a script may look at.
var passWords = []string{"trigger", "state", "calls", "examined", "known", "admitted", "closed", "remainder", "unaudited", "round"}

// fields is what a pass must have.
type fields map[string]string

func (ph *phrase) fields() fields {
	f := fields{}
	for !ph.done() {
		key, value, ok := strings.Cut(ph.word("FIELD=VALUE"), "=")
		if !ok || !slices.Contains(passWords, key) {
			ph.fail("expected FIELD=VALUE with one of %s, found %q", strings.Join(passWords, ", "), key)
		}
		f[key] = value
	}
	return f
}

func (f fields) fit(p passFields) bool {
	for key, want := range f {
		if p[key] != want {
			return false
		}
	}
	return true
}

// passFields are the fields of a pass as words.
type passFields map[string]string

func (p *player) passFields() []passFields {
	var out []passFields
	p.journal.read(func() {
		for _, pass := range p.journal.passes {
			if !pass.EndedAt.IsZero() {
				out = append(out, passFields{"trigger": string(pass.Trigger), "state": string(pass.State),
					"calls": strconv.Itoa(pass.Calls), "examined": strconv.Itoa(pass.Examined), "known": strconv.Itoa(pass.Known),
					"admitted": strconv.Itoa(pass.Admitted), "closed": strconv.Itoa(pass.Closed), "unaudited": strconv.Itoa(pass.Unaudited.Places), "round": pass.Unaudited.Round.String(), "remainder": strconv.Itoa(len(pass.Remainder))})
			}
		}
	})
	return out
}

func readPass(ph *phrase) func(*player) error {
	which := 0
	if !ph.accept("last") {
		which = ph.number("last, or which pass")
	}
	want := ph.fields()
	return func(p *player) error {
		all := p.passFields()
		n := which
		if n == 0 {
			n = len(all)
		}
		if n < 1 || n > len(all) {
			return unless(false, "there were %d passes", len(all))
		}
		return unless(want.fit(all[n-1]), "it is %s", fmt.Sprint(all[n-1]))
	}
}

func readPasses(ph *phrase) func(*player) error {
	want := ph.comparison("a number of passes")
	ph.accept("with")
	having := ph.fields()
	return func(p *player) error {
		n := 0
		for _, pass := range p.passFields() {
			if having.fit(pass) {
				n++
			}
		}
		return unless(want.holds(n), "there were %d of %v", n, p.passFields())
	}
}

func readLog(has bool) func(*phrase) func(*player) error {
	return func(ph *phrase) func(*player) error {
		want := ph.word("a text in quotes")
		return func(p *player) error {
			found := slices.ContainsFunc(p.book.lines(), func(l string) bool { return strings.Contains(l, want) })
			return unless(found == has, "it has: %t", found)
		}
	}
}

func readStatus(ph *phrase) func(*player) error {
	path := ph.word("a path in the status")
	want := ph.comparison("a number")
	return func(p *player) error {
		st, err := p.status()
		if err != nil {
			return err
		}
		n := numberAt(encoded(st), path)
		return unless(want.holds(n), "it is %d", n)
	}
}

func readEnded(ph *phrase) func(*player) error {
	want := ""
	if text, quoted, _ := ph.scan(); quoted {
		want = ph.word(text)
	}
	name := ph.process()
	return func(p *player) error {
		proc := p.processes[name]
		if proc == nil {
			return errNotRunning
		}
		ended, err := proc.ended()
		if !ended {
			return unless(false, "it runs")
		}
		return unless(strings.Contains(fmt.Sprint(err), want), "it ended with: %v", err)
	}
}
