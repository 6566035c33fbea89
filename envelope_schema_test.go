package gapless_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gapless"
)

const (
	schemaFile = "docs/envelope.schema.json"
	schemaPage = "docs/envelope.md"
)

// schema is the part of JSON Schema (2020-12) that the envelope needs.
type schema struct {
	Dialect     string   `json:"$schema,omitempty"`
	ID          string   `json:"$id,omitempty"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Ref         string   `json:"$ref,omitempty"`
	Type        string   `json:"type,omitempty"`
	Const       any      `json:"const,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Pattern     string   `json:"pattern,omitempty"`
	Format      string   `json:"format,omitempty"`
	Minimum     *float64 `json:"minimum,omitempty"`
	Properties  fields   `json:"properties,omitempty"`
	Required    []string `json:"required,omitempty"`
	Items       *schema  `json:"items,omitempty"`
	Defs        fields   `json:"$defs,omitempty"`
}

// fields keep the order of the code.
type fields []field

type field struct {
	name string
	schema
}

func (f fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, one := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(one.schema)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", one.name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (f *fields) UnmarshalJSON(b []byte) error {
	var named map[string]schema
	if err := json.Unmarshal(b, &named); err != nil {
		return err
	}
	for name, s := range named {
		*f = append(*f, field{name, s})
	}
	return nil
}

func (f fields) find(name string) (schema, bool) {
	i := slices.IndexFunc(f, func(one field) bool { return one.name == name })
	if i < 0 {
		return schema{}, false
	}
	return f[i].schema, true
}

// The schema and its page are generated from the code: `go test -run
// TestEnvelopeSchema -update .` writes them, and without -update this test holds
// them to it, so that no field is described that is not there, nor the reverse.
func TestEnvelopeSchemaIsWhatTheCodeWrites(t *testing.T) {
	s := envelopeSchema(t)
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{schemaFile: string(text) + "\n", schemaPage: envelopePage(s)} {
		if *update {
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is not what the code says; run: go test -run TestEnvelopeSchema -update .", name)
		}
	}
}

// What the code writes is valid by the file, and what is damaged is not.
func TestEnvelopesAreValid(t *testing.T) {
	b, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	for _, good := range []string{goldenEnvelope, smallEnvelope, briefedEnvelope(t)} {
		if err := s.check(s, decoded(t, good), "envelope"); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct{ from, to string }{
		{`"v": 1`, `"v": 2`},
		{`"attempt": 2`, `"attempt": 0`},
		{`"attempt": 2`, `"attempt": 1.5`},
		{`"fence": 9,`, ``},
		{`"channel_id": "11"`, `"channel_id": 11`},
		{`"channel_id": "11"`, `"channel_id": "general"`},
		{`"origin": "history"`, `"origin": "rumour"`},
		{`"recovered": true`, `"recovered": "yes"`},
		{`"2026-01-02T00:00:01Z"`, `"yesterday"`},
		{`"late_by": 61.5`, `"late_by": -1`},
		{`"v": 1`, `"v": 1, "new": 1`},
	} {
		bad := strings.Replace(goldenEnvelope, c.from, c.to, 1)
		if bad == goldenEnvelope {
			t.Fatalf("the envelope has no %s", c.from)
		}
		if err := s.check(s, decoded(t, bad), "envelope"); err == nil {
			t.Errorf("%s instead of %s is valid", c.to, c.from)
		}
	}
}

// briefedEnvelope is one with all that may be told beyond the messages.
func briefedEnvelope(t *testing.T) string {
	said := gapless.Message{ID: 1, Author: gapless.User{ID: 501, Name: "ann", Bot: true}, Text: "x", Raw: json.RawMessage(`{}`)}
	d := gapless.NewTurn(gapless.Delivery{ID: "5", Attempt: 1, Fence: 1, Place: direct, Brief: gapless.Brief{
		Late: true, MayApprove: true, RoleList: true, Prompt: "be brief",
		Context: []gapless.Message{said}, Older: []gapless.Item{{Message: said}}, Later: []gapless.Item{{Message: said}},
	}})
	d.AnswerIn(99)
	b, err := json.Marshal(gapless.NewEnvelope(d, sec(0)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// check says what is wrong with a value; unknown fields are wrong here, though readers pass over them.
func (s schema) check(root schema, v any, at string) error {
	if s.Ref != "" {
		def, ok := root.Defs.find(strings.TrimPrefix(s.Ref, "#/$defs/"))
		if !ok {
			return fmt.Errorf("%s: %s leads nowhere", at, s.Ref)
		}
		return def.check(root, v, at)
	}
	switch v := v.(type) {
	case map[string]any:
		return s.checkObject(root, v, at)
	case []any:
		if s.Type != "array" {
			return fmt.Errorf("%s is a list and not %s", at, s.Type)
		}
		for i, one := range v {
			if err := s.Items.check(root, one, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
		return nil
	}
	return s.checkScalar(v, at)
}

func (s schema) checkObject(root schema, v map[string]any, at string) error {
	if s.Type != "object" {
		return fmt.Errorf("%s is an object and not %s", at, s.Type)
	}
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			return fmt.Errorf("%s lacks %s", at, name)
		}
	}
	if s.Properties == nil {
		return nil // Discord's own payload
	}
	for name, one := range v {
		prop, ok := s.Properties.find(name)
		if !ok {
			return fmt.Errorf("%s has an unknown %s", at, name)
		}
		if err := prop.check(root, one, at+"."+name); err != nil {
			return err
		}
	}
	return nil
}

func (s schema) checkScalar(v any, at string) error {
	ok := false
	switch v := v.(type) {
	case string:
		ok = s.Type == "string" && (s.Enum == nil || slices.Contains(s.Enum, v)) && (s.Pattern == "" || regexp.MustCompile(s.Pattern).MatchString(v))
		if _, err := time.Parse(time.RFC3339Nano, v); s.Format == "date-time" && err != nil {
			ok = false
		}
	case float64:
		ok = (s.Type == "number" || s.Type == "integer" && v == float64(int64(v))) && (s.Minimum == nil || v >= *s.Minimum) &&
			(s.Const == nil || s.Const == v)
	case bool:
		ok = s.Type == "boolean"
	}
	if !ok {
		return fmt.Errorf("%s is %v", at, v)
	}
	return nil
}

// envelopeSchema is read from the types, and the descriptions from their comments.
func envelopeSchema(t *testing.T) schema {
	said := fieldComments(t, "envelope.go")
	s := objectSchema(t, reflect.TypeFor[gapless.Envelope](), said)
	s.Dialect, s.Title = "https://json-schema.org/draft/2020-12/schema", "gapless envelope"
	s.ID = "urn:gapless:envelope:1"
	s.Description = "A delivery as every kind of handler outside the process gets it. Readers pass over fields they do not know."
	for _, typ := range []reflect.Type{reflect.TypeFor[gapless.EnvelopeMessage](), reflect.TypeFor[gapless.EnvelopeContext]()} {
		s.Defs = append(s.Defs, field{typ.Name(), objectSchema(t, typ, said)})
	}
	return s
}

func objectSchema(t *testing.T, typ reflect.Type, said map[string]string) schema {
	s := schema{Type: "object"}
	for f := range typ.Fields() {
		name, more, _ := strings.Cut(f.Tag.Get("json"), ",")
		one := valueSchema(t, f.Type)
		if one.Description = said[typ.Name()+"."+f.Name]; one.Description == "" {
			t.Errorf("%s.%s has no comment that could describe it", typ.Name(), f.Name)
		}
		if name == "v" {
			one.Const, one.Minimum = gapless.EnvelopeVersion, nil
		}
		if name == "attempt" {
			one.Minimum = new(1.0)
		}
		s.Properties = append(s.Properties, field{name, one})
		if !strings.HasPrefix(more, "omit") {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

func valueSchema(t *testing.T, typ reflect.Type) schema {
	switch typ {
	case reflect.TypeFor[gapless.MessageID](), reflect.TypeFor[gapless.ChannelID](), reflect.TypeFor[gapless.GuildID](), reflect.TypeFor[gapless.UserID]():
		return schema{Type: "string", Pattern: "^[0-9]+$"}
	case reflect.TypeFor[gapless.Origin]():
		return schema{Type: "string", Enum: constants(t, "event.go", "Origin")}
	case reflect.TypeFor[gapless.Ground]():
		return schema{Type: "string", Enum: constants(t, "admission.go", "Ground")}
	case reflect.TypeFor[time.Time]():
		return schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[json.RawMessage]():
		return schema{Type: "object"}
	}
	switch typ.Kind() {
	case reflect.String:
		return schema{Type: "string"}
	case reflect.Bool:
		return schema{Type: "boolean"}
	case reflect.Float64:
		return schema{Type: "number", Minimum: new(0.0)}
	case reflect.Int, reflect.Int64:
		return schema{Type: "integer", Minimum: new(0.0)}
	case reflect.Slice:
		return schema{Type: "array", Items: &schema{Ref: "#/$defs/" + typ.Elem().Name()}}
	}
	t.Fatalf("the schema has no word for %s", typ)
	return schema{}
}

func parsed(t *testing.T, name string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// fieldComments are the comments behind the fields of a file's structs.
func fieldComments(t *testing.T, name string) map[string]string {
	said := map[string]string{}
	ast.Inspect(parsed(t, name), func(n ast.Node) bool {
		typ, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if s, ok := typ.Type.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				said[typ.Name.Name+"."+f.Names[0].Name] = strings.TrimSpace(f.Comment.Text())
			}
		}
		return true
	})
	return said
}

// constants are the values of a file's constants of a type, in order.
func constants(t *testing.T, name, typ string) (values []string) {
	ast.Inspect(parsed(t, name), func(n ast.Node) bool {
		if c, ok := n.(*ast.ValueSpec); ok && len(c.Values) == 1 {
			if id, ok := c.Type.(*ast.Ident); ok && id.Name == typ {
				values = append(values, strings.Trim(c.Values[0].(*ast.BasicLit).Value, `"`))
			}
		}
		return true
	})
	if len(values) < 2 {
		t.Fatalf("%s has no constants of type %s", name, typ)
	}
	return values
}

func envelopePage(s schema) string {
	var b strings.Builder
	b.WriteString(envelopeIntro)
	objectTable(&b, "The envelope", s)
	for _, def := range s.Defs {
		title := "A message to be handled"
		if def.name == "EnvelopeContext" {
			title = "A message that is told: context, older, later"
		}
		objectTable(&b, title, def.schema)
	}
	return b.String()
}

const envelopeIntro = "# The envelope\n\nGenerated from the code; do not edit. Every handler outside the daemon gets its deliveries in this shape: a command on its\n" +
	"standard input, a long-lived bot in a line, a webhook in `data`, a NATS consumer in the message. Its JSON Schema is\n" +
	"[envelope.schema.json](envelope.schema.json). Fields are added without a new version; pass over those you do not know.\n" +
	"Discord's ids are strings. Discord's own payload is untouched in `message`: read it with the library you already have.\n"

func objectTable(b *strings.Builder, title string, s schema) {
	fmt.Fprintf(b, "\n## %s\n\n| field | is | meaning |\n|---|---|---|\n", title)
	for _, f := range s.Properties {
		name := "`" + f.name + "`"
		if !slices.Contains(s.Required, f.name) {
			name += " (if there is one)"
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", name, f.kind(), f.Description)
	}
}

// kind is a value's shape in words.
func (s schema) kind() string {
	switch {
	case s.Items != nil && strings.HasSuffix(s.Items.Ref, "Context"):
		return "list of told messages"
	case s.Items != nil:
		return "list of messages"
	case s.Enum != nil:
		return "`" + strings.Join(s.Enum, "`, `") + "`"
	case s.Pattern != "":
		return "id"
	case s.Format != "":
		return "time, RFC 3339"
	}
	return s.Type
}
