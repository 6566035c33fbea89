package discordsim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// The control door under /_sim/ lets a separate process, in any language, play the world: the body of each
// POST is one deed, answers are JSON. It asks for no password and is meant for loopback only. What it takes and
// gives is written down in docs/discordsim.openapi.yaml.

const doorPath = "/_sim/"

// serveControl plays one deed or tells one fact. What cannot be done is 400, with the reason.
func (s *Server) serveControl(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path[len(doorPath):]
	tell, fact := facts[name]
	do, known := deeds[name]
	switch {
	case fact && r.Method == http.MethodGet:
		s.tellFact(w, r, tell)
	case name == importDeed && r.Method == http.MethodPost:
		s.controlImport(w, r)
	case known && r.Method == http.MethodPost:
		s.playDeed(w, r, name, do)
	default:
		jsonAnswer(http.StatusNotFound, object{"error": "no such deed or fact: " + r.Method + " " + name}).write(w)
	}
}

func (s *Server) tellFact(w http.ResponseWriter, r *http.Request, tell func(*Server, int) any) {
	after := 0
	if text := r.URL.Query().Get("after"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			jsonAnswer(http.StatusBadRequest, object{"error": fmt.Sprintf("after: %q is no count", text)}).write(w)
			return
		}
		after = n
	}
	jsonAnswer(http.StatusOK, tell(s, after)).write(w)
}

func (s *Server) playDeed(w http.ResponseWriter, r *http.Request, name string, do func(*Server, deed) (any, error)) {
	var d deed
	in := json.NewDecoder(r.Body)
	in.DisallowUnknownFields()
	if err := in.Decode(&d); err != nil && !errors.Is(err, io.EOF) {
		jsonAnswer(http.StatusBadRequest, object{"error": fmt.Sprintf("read %s: %v", name, err)}).write(w)
		return
	}
	result, err := attempt(func() (any, error) { return do(s, d) })
	if err != nil {
		jsonAnswer(http.StatusBadRequest, object{"error": err.Error()}).write(w)
		return
	}
	if result == nil {
		result = object{}
	}
	jsonAnswer(http.StatusOK, result).write(w)
}

// attempt turns the panic of a method that was given an unknown id into an error.
func attempt(do func() (any, error)) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return do()
}

// importDeed is the one deed whose body is no JSON object of ours but a channel export.
const importDeed = "import"

// controlImport loads the body as one channel export; the query's name stands for it in errors.
func (s *Server) controlImport(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("name")
	if name == "" {
		name = "export"
	}
	done, err := s.ImportFrom(name, r.Body)
	lines := []string{}
	if err != nil {
		lines = strings.Split(err.Error(), "\n")
	}
	jsonAnswer(http.StatusOK, object{"imported": done, "errors": lines}).write(w)
}

// index tells what the door has: deeds, facts, and the fields a deed may have.
func index(*Server, int) any {
	var fields []string
	for f := range reflect.TypeFor[deed]().Fields() {
		fields = append(fields, f.Tag.Get("json"))
	}
	names := append(slices.Collect(maps.Keys(deeds)), importDeed)
	slices.Sort(names)
	return object{"deeds": names, "facts": slices.Sorted(maps.Keys(facts)), "fields": fields}
}
