package discordsim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"strconv"
	"time"
)

// answer is a response before it is written.
type answer struct {
	status int
	body   []byte
	header http.Header
	edge   bool // made by the edge, not by the API
}

func jsonAnswer(status int, body any) answer {
	return answer{status: status, body: encode(body), header: http.Header{"Content-Type": {"application/json"}}}
}

// encode writes JSON as Discord does: without escaping the angle brackets of mentions.
func encode(body any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		panic("discordsim: encode: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func (a answer) write(w http.ResponseWriter) {
	a.head(w)
	if a.status != http.StatusNoContent {
		_, _ = w.Write(a.body)
	}
}

// head writes all that stands before the body.
func (a answer) head(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	if !a.edge {
		w.Header().Set("Via", "1.1 google")
	}
	if a.status != http.StatusNoContent {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
}

// apiError is a refusal with Discord's error body (F67, protocol D7).
type apiError struct {
	status  int
	code    int
	message string
	errors  object
	wait    time.Duration // of slow mode: when to try again
}

// Error names the code and its meaning.
func (e *apiError) Error() string { return fmt.Sprintf("discord error %d: %s", e.code, e.message) }

func (e *apiError) answer() answer {
	body := object{"message": e.message, "code": e.code}
	if e.errors != nil {
		body["errors"] = e.errors
	}
	if e.wait <= 0 {
		return jsonAnswer(e.status, body)
	}
	body["retry_after"] = e.wait.Seconds()
	a := jsonAnswer(e.status, body)
	a.header.Set("Retry-After", strconv.Itoa(int(math.Ceil(e.wait.Seconds()))))
	a.header.Set("X-RateLimit-Scope", "user")
	return a
}

func unknownChannel() *apiError {
	return &apiError{status: 404, code: 10003, message: "Unknown Channel"}
}

func unknownGuild() *apiError { return &apiError{status: 404, code: 10004, message: "Unknown Guild"} }

func unknownMessage() *apiError {
	return &apiError{status: 404, code: 10008, message: "Unknown Message"}
}

func missingAccess() *apiError {
	return &apiError{status: 403, code: 50001, message: "Missing Access"}
}

func missingPermissions() *apiError {
	return &apiError{status: 403, code: 50013, message: "Missing Permissions"}
}

func archivedThread() *apiError {
	return &apiError{status: 400, code: 50083, message: "Thread is archived"}
}

func unauthorized() *apiError {
	return &apiError{status: 401, code: 0, message: "401: Unauthorized"}
}

func unknownReference() *apiError {
	return badField("message_reference", "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message")
}

// badField is 50035 with the one field that is wrong.
func badField(field, code, message string) *apiError {
	return &apiError{status: 400, code: 50035, message: "Invalid Form Body",
		errors: object{field: object{"_errors": []object{{"code": code, "message": message}}}}}
}

// messagesOf are the words Discord puts to codes that faults answer with.
var messagesOf = map[int]string{0: "Internal Server Error", 10003: "Unknown Channel", 10004: "Unknown Guild",
	10008: "Unknown Message", 50001: "Missing Access", 50013: "Missing Permissions", 40062: "Service resource is being rate limited.",
	50083: "Thread is archived", 110000: "Index not yet available. Try again later", 130000: "API resource is currently overloaded."}

// failure is what a Fail fault answers: HTML, a literal body, or an error of Discord's.
func failure(f *plantedFault) answer {
	status := f.Status
	if status == 0 {
		status = http.StatusServiceUnavailable
	}
	switch {
	case f.HTML:
		body := f.Body
		if body == "" {
			body = fmt.Sprintf("<html><head><title>%d</title></head><body>upstream trouble</body></html>", status)
		}
		return answer{status: status, body: []byte(body), edge: true,
			header: http.Header{"Content-Type": {"text/html; charset=UTF-8"}}}
	case f.Body != "":
		return answer{status: status, body: []byte(f.Body), header: http.Header{"Content-Type": {"application/json"}}}
	}
	message := messagesOf[f.Code]
	if f.Code == 0 {
		message = fmt.Sprintf("%d: %s", status, http.StatusText(status))
	}
	return jsonAnswer(status, object{"message": message, "code": f.Code})
}
