package config_test

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"gapless/internal/config"
)

// valid says what is wrong with a document by a schema: the words that ours
// are made of, and no others.
func valid(s map[string]any, doc any, at string) (wrong []string) {
	fail := func(format string, args ...any) { wrong = append(wrong, at+" "+fmt.Sprintf(format, args...)) }
	for word, v := range s {
		switch word {
		case "description", "title", "$schema", "items", "properties", "additionalProperties":
		case "type":
			if !slices.ContainsFunc(listed(v), func(name any) bool { return typed(name.(string), doc) }) {
				fail("is no %v but %T", v, doc)
			}
		case "enum":
			if !slices.ContainsFunc(listed(v), func(one any) bool { return fmt.Sprint(one) == fmt.Sprint(doc) }) {
				fail("%v is none of %v", doc, v)
			}
		case "const":
			if fmt.Sprint(v) != fmt.Sprint(doc) {
				fail("%v is not %v", doc, v)
			}
		case "pattern":
			if text, ok := doc.(string); ok && !regexp.MustCompile(v.(string)).MatchString(text) {
				fail("%q does not match %s", text, v)
			}
		case "minimum":
			if n, ok := doc.(float64); ok && n < v.(float64) {
				fail("%v is less than %v", n, v)
			}
		case "maximum":
			if n, ok := doc.(float64); ok && n > v.(float64) {
				fail("%v is more than %v", n, v)
			}
		case "minLength":
			if text, ok := doc.(string); ok && float64(utf8.RuneCountInString(text)) < v.(float64) {
				fail("%q is too short", text)
			}
		case "minItems":
			if list, ok := doc.([]any); ok && float64(len(list)) < v.(float64) {
				fail("has too few entries")
			}
		case "anyOf":
			if !slices.ContainsFunc(listed(v), func(one any) bool { return len(valid(one.(map[string]any), doc, at)) == 0 }) {
				fail("%v is nothing of what it may be", doc)
			}
		default:
			fail("the test does not know the word %s", word)
		}
	}
	return append(wrong, inside(s, doc, at)...)
}

// inside looks at what a list or object holds.
func inside(s map[string]any, doc any, at string) (wrong []string) {
	if list, ok := doc.([]any); ok && s["items"] != nil {
		for i, item := range list {
			wrong = append(wrong, valid(s["items"].(map[string]any), item, fmt.Sprintf("%s[%d]", at, i))...)
		}
	}
	if object, ok := doc.(map[string]any); ok && (s["properties"] != nil || s["additionalProperties"] != nil) {
		known, _ := s["properties"].(map[string]any)
		for name, v := range object {
			below, ok := known[name].(map[string]any)
			if others, isSchema := s["additionalProperties"].(map[string]any); !ok && isSchema {
				below, ok = others, true
			}
			if !ok && s["additionalProperties"] == false {
				wrong = append(wrong, at+" has the unknown key "+name)
			}
			if ok {
				wrong = append(wrong, valid(below, v, at+"."+name)...)
			}
		}
	}
	return wrong
}

func listed(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

// typed reports whether a value is of one of JSON's types.
func typed(name string, doc any) bool {
	switch v := doc.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	case float64:
		return name == "number" || name == "integer" && v == math.Trunc(v)
	}
	return false
}

// checked reads a file as an editor would and holds it against the schema.
func checked(t *testing.T, text string) []string {
	t.Helper()
	raw, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var doc any
	if err := json.Unmarshal(asJSON, &doc); err != nil {
		t.Fatal(err)
	}
	return valid(schema, doc, "")
}

func TestSchemaTakesWhatIsRight(t *testing.T) {
	files := []string{whole, twoBots, botsExample, "retry:\n", "audit: {interval: 0}\n", "hold: 1m30s\n"}
	for _, key := range config.Keys() {
		files = append(files, key.Example()+"\n")
	}
	for _, text := range files {
		if wrong := checked(t, text); len(wrong) > 0 {
			t.Errorf("%s\n%s", strings.Join(wrong, "\n"), text)
		}
	}
}

func TestSchemaKnowsEveryKeyAndNoOther(t *testing.T) {
	for _, text := range []string{
		"retrys: 5\n", "retry: {atempts: 5}\n", "policy: {everyone: perhaps}\n", "concurrency: 0\n", "concurrency: many\n", "hold: 30\n",
		"api: localhost\n", "policy: {users: [ann, 5]}\n", "bots: []\n", "bots: [{nam: x}]\n", "bots: [{token_env: A, log: {level: debug}}]\n",
		"log: {level: loud}\n", "policy: {free_channels: 5}\n", "token_env: 5x\n", "policy: 5\n", "discord: 5\n",
	} {
		if wrong := checked(t, text); len(wrong) == 0 {
			t.Errorf("the schema takes %q", text)
		}
	}
}

func TestExplain(t *testing.T) {
	for name, want := range map[string]string{
		"retry.base":              "wait after the first failure, doubling",
		"GAPLESS_RETRY_BASE":      "retry.base\n",
		"retry":                   "retry.ceiling: longest wait between attempts (default: 10m)",
		"policy.bots":             "set by:   discord.allow_bots, DISCORD_ALLOW_BOTS",
		"policy.users":            "changed:  at once",
		"hold":                    "changed:  after a restart",
		"discord.allow_bots":      "becomes policy.bots",
		"DISCORD_ALLOW_BOTS":      "The variable counts before the file",
		"discord":                 "discord.reply_to_mode",
		"bots":                    "a list of bots",
		"handler.exec":            "separated by white space",
		"policy.users ":           "separated by commas",
		"DISCORD_REQUIRE_MENTION": `every channel free ("*")`,
	} {
		if got, err := config.Explain(name); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
	if _, err := config.Explain("retry.bse"); err == nil || !strings.Contains(err.Error(), `did you mean "retry.base"?`) {
		t.Errorf("got %v", err)
	}
	for _, key := range config.Keys() {
		if _, err := config.Explain(key.Name); err != nil {
			t.Error(err)
		}
	}
}
