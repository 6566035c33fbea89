package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"gapless/internal/config"
)

// configCommand is about the configuration.
type configCommand struct {
	Check   configCheckCommand   `cmd:"" help:"Read the configuration: every mistake at once, or what counts and where it comes from."`
	Explain configExplainCommand `cmd:"" help:"Explain a key, a heading, or a setting of the reference."`
	Schema  configSchemaCommand  `cmd:"" help:"Print the JSON Schema of gapless.yaml, for editors."`
}

// configCheckCommand shows what a configuration amounts to.
type configCheckCommand struct {
	Config string `help:"Configuration file." placeholder:"FILE"`
	JSON   bool   `help:"Print one JSON object." name:"json"`
	Set    bool   `help:"Leave out what is at its default."`
}

// Run reads the configuration as run would, and starts nothing.
func (c *configCheckCommand) Run(sys *system) error {
	report, err := config.Read(config.Sources{File: c.Config, Env: sys.env})
	if err != nil {
		if faults := config.Faults(err); c.JSON && len(faults) > 0 {
			return errors.Join(printJSON(sys.out, map[string]any{"faults": faults}), failure(exitUsage, errors.New("the configuration has mistakes")))
		}
		return failure(exitUsage, err)
	}
	checked, err := c.checked(sys.env, report)
	if errors.Is(err, config.ErrSameToken) {
		return failure(exitUsage, err)
	}
	if c.JSON {
		return printJSON(sys.out, checked)
	}
	return checked.print(sys.out)
}

// checkedConfig is a configuration without mistakes, for people and programs.
type checkedConfig struct {
	File  string        `json:"file,omitempty"`
	Bots  []checkedBot  `json:"bots"`
	Notes []config.Note `json:"notes,omitempty"`
}

// checkedBot is what counts for one bot.
type checkedBot struct {
	Name   string          `json:"name,omitempty"`
	Values []config.Value  `json:"values"`
	Mapped []config.Mapped `json:"mapped,omitempty"`
	Notes  []config.Note   `json:"notes,omitempty"`
}

// checked gathers what there is to say; its error is that of the tokens, which
// may well be elsewhere where a configuration is checked.
func (c *configCheckCommand) checked(env config.Environment, r *config.Report) (checkedConfig, error) {
	out := checkedConfig{File: r.File, Notes: r.Notes}
	for _, b := range r.Bots {
		bot := checkedBot{Name: b.Config.Name, Mapped: b.Mapped, Notes: append(b.Notes, b.Overruled()...)}
		for _, v := range b.Values {
			if !c.Set || v.From != "default" {
				bot.Values = append(bot.Values, v)
			}
		}
		out.Bots = append(out.Bots, bot)
	}
	tokens, notes, err := config.FindTokens(env, r)
	for i, t := range tokens {
		if t.From != "" {
			out.Bots[i].Values = append(out.Bots[i].Values, config.Value{Key: "the token", Values: []string{t.String()}, From: t.From})
		}
	}
	for _, n := range notes {
		out.Notes = append(out.Notes, config.Note{About: "the token", Text: n})
	}
	if err != nil {
		out.Notes = append(out.Notes, config.Note{About: "the token", Text: err.Error()})
	}
	return out, err
}

// print writes a table per bot, then what should be known.
func (c checkedConfig) print(w io.Writer) error {
	fmt.Fprintln(w, "no mistakes in", orElse(c.File, "the environment; there is no file"))
	for _, b := range c.Bots {
		if b.Name != "" {
			fmt.Fprintf(w, "\nbot %s\n", b.Name)
		}
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "\nkey\tvalue\tfrom")
		for _, v := range b.Values {
			fmt.Fprintf(t, "%s\t%s\t%s\n", v.Key, orElse(strings.Join(v.Values, ", "), "-"), v.From)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		if len(b.Mapped) > 0 {
			fmt.Fprintln(w, "\ntaken over from the reference's settings")
		}
		for _, m := range b.Mapped {
			fmt.Fprintf(w, "  %s is %s: %s\n", m.From, m.Key, orElse(strings.Join(m.Values, ", "), "-"))
		}
		printNotes(w, b.Notes)
	}
	printNotes(w, c.Notes)
	return nil
}

func printNotes(w io.Writer, notes []config.Note) {
	if len(notes) > 0 {
		fmt.Fprintln(w, "\nto note")
	}
	for _, n := range notes {
		fmt.Fprintf(w, "  %s: %s\n", n.About, strings.ReplaceAll(n.Text, "\n", "\n    "))
	}
}

// configExplainCommand explains keys.
type configExplainCommand struct {
	Key    string `arg:"" help:"A key, a heading, a variable, or a setting of the reference."`
	Config string `help:"Configuration file." placeholder:"FILE"`
}

// Run explains the key, and says what it is set to if the configuration can be read.
func (c *configExplainCommand) Run(sys *system) error {
	text, err := config.Explain(c.Key)
	if err != nil {
		return failure(exitUsage, err)
	}
	fmt.Fprint(sys.out, text)
	key, ok := config.Find(c.Key)
	if !ok {
		return nil
	}
	report, err := config.Read(config.Sources{File: c.Config, Env: sys.env})
	if err != nil {
		fmt.Fprintln(sys.out, "\nThe configuration has mistakes, so what is set cannot be told: see gapless config check.")
		return nil
	}
	for _, b := range report.Bots {
		for _, v := range b.Values {
			if v.Key == key.Name {
				fmt.Fprintf(sys.out, "\nnow%s: %s (%s)\n", orElse(" for bot "+b.Config.Name, "", b.Config.Name == ""), orElse(strings.Join(v.Values, ", "), "nothing"), v.From)
			}
		}
	}
	return nil
}

// configSchemaCommand prints the schema.
type configSchemaCommand struct{}

// Run prints it.
func (configSchemaCommand) Run(sys *system) error {
	text, err := config.Schema()
	if err == nil {
		_, err = sys.out.Write(text)
	}
	return err
}

// orElse is s, or instead if s is empty or one of unless holds.
func orElse(s, instead string, unless ...bool) string {
	for _, u := range unless {
		if u {
			return instead
		}
	}
	if s == "" {
		return instead
	}
	return s
}

// printJSON writes one object, indented.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
