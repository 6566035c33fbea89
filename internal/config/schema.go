package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// schema is a JSON Schema, or a part of one.
type schema map[string]any

// listOf is a list of values; one value is as good as a list of one.
func listOf(item schema) schema {
	return schema{"anyOf": []any{item, schema{"type": "array", "items": item}}}
}

// Schema is the JSON Schema of the configuration file, for editors: it knows
// every key with its meaning and, as far as a schema can say it, its values.
func Schema() ([]byte, error) {
	top := group("")
	top["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	top["title"] = "gapless.yaml"
	top["properties"].(schema)[botsKey] = botsSchema()
	text, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write schema: %w", err)
	}
	return append(text, '\n'), nil
}

// group is the schema of all keys below a level.
func group(level string) schema {
	properties := schema{}
	for _, name := range below(level) {
		if key, ok := find(level + name); ok {
			properties[name] = key.described()
		} else {
			heading := group(level + name + ".")
			heading["type"] = []any{"object", "null"}
			properties[name] = heading
		}
	}
	if level == "" {
		properties[oldBlock] = oldSchema()
	}
	return schema{"type": "object", "properties": properties, "additionalProperties": false}
}

// described is the schema of the key's value with what there is to say about it.
func (k Key) described() schema {
	s := schema{"description": k.sentence()}
	maps.Copy(s, k.schema)
	return s
}

// sentence is the key's meaning with its default.
func (k Key) sentence() string {
	if k.Default == "" {
		return k.Says
	}
	return k.Says + " (default: " + k.Default + ")"
}

// botsSchema is the schema of the list of bots.
func botsSchema() schema {
	bot := group("")
	properties := bot["properties"].(schema)
	properties["name"] = schema{"type": "string", "pattern": botName.String(), "description": "what the bot is called in logs"}
	for _, k := range keys {
		if k.Process {
			delete(properties, strings.Split(k.Name, ".")[0])
		}
	}
	return schema{"type": "array", "minItems": 1, "items": bot, "description": "several bots in one process; keys outside of the list hold for all of them"}
}

// oldSchema is the schema of the reference's block: its names, and nothing refused.
func oldSchema() schema {
	properties, missed := schema{}, schema{}
	for _, k := range OldKeys() {
		s := schema{"description": "of the reference; " + k.becomes()}
		if name, ok := strings.CutPrefix(k.Name, oldMissed+"."); ok {
			missed[name] = s
		} else if k.Name != "" {
			properties[k.Name] = s
		}
	}
	properties[oldMissed] = schema{"type": "object", "properties": missed}
	return schema{"type": []any{"object", "null"}, "properties": properties, "description": "settings of the reference, accepted as they are"}
}
