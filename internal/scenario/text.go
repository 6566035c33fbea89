package scenario

import (
	"encoding/json"
	"strings"
)

// json makes sure that a word is JSON.
func (ph *phrase) json(word string) {
	if !json.Valid([]byte(word)) {
		ph.fail("expected JSON, found %q", word)
	}
}

// decoded is the value of what has been found to be JSON.
func decoded(word string) any {
	var v any
	_ = json.Unmarshal([]byte(word), &v) // checked when the line was read
	return v
}

// listed joins words for a sentence.
func listed(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// encoded is a value in JSON.
func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("scenario: " + err.Error()) // only values made here come this way
	}
	return data
}

// numberAt is the number at a path like deliveries.dead; lists count their entries, what is missing is zero.
func numberAt(data []byte, path string) int {
	v := decoded(string(data))
	for key := range strings.SplitSeq(path, ".") {
		object, ok := v.(map[string]any)
		if !ok {
			return 0
		}
		v = object[key]
	}
	switch v := v.(type) {
	case float64:
		return int(v)
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	case bool:
		if v {
			return 1
		}
	}
	return 0
}
