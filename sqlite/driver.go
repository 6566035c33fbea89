package sqlite

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/driver" // registers "sqlite3"
)

// Driver is a database/sql driver for SQLite. It must understand file: URIs
// with _pragma parameters.
type Driver struct {
	Name string          // as registered with database/sql
	Code func(error) int // SQLite's primary result code of an error, zero if it is none of SQLite's
}

// ncruces is the driver that is used unless Config says otherwise.
var ncruces = Driver{Name: "sqlite3", Code: func(err error) int {
	if e, ok := errors.AsType[*sqlite3.Error](err); ok {
		return int(e.Code())
	}
	var code sqlite3.ErrorCode
	if errors.As(err, &code) {
		return int(code)
	}
	return 0
}}

// SQLite's result codes that mean something to an operator.
const (
	codeError    = 1
	codeBusy     = 5
	codeReadOnly = 8
	codeIO       = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeNotADB   = 26
)

// source is the data source name of the database at path.
func source(path string, params url.Values) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a drive letter
	}
	return "file://" + (&url.URL{Path: p}).EscapedPath() + "?" + params.Encode()
}

// pragmas are the parameters of a connection: how long it waits for a lock
// that another process holds, then what else is asked for.
func pragmas(more ...string) url.Values {
	return url.Values{"_pragma": append([]string{fmt.Sprintf("busy_timeout(%d)", busyWait.Milliseconds())}, more...)}
}

// busyWait is how long a foreign lock only delays (C86); a longer one is a
// mistake that must come up.
const busyWait = 10 * time.Second

// writing are the parameters of the connection that writes. Exclusive keeps
// the index of the write-ahead log in this process's memory.
func (c Config) writing() url.Values {
	var first []string
	if c.Exclusive {
		first = append(first, "locking_mode(exclusive)")
	}
	v := pragmas(append(first, "journal_mode(wal)", "synchronous(full)", "secure_delete(on)", "temp_store(memory)",
		"cache_size(-16384)", "trusted_schema(off)")...)
	v.Set("_txlock", "immediate")
	if c.VFS != "" {
		v.Set("vfs", c.VFS)
	}
	return v
}

// reading are the parameters of a connection that only reads.
func reading() url.Values {
	v := pragmas("query_only(on)")
	v.Set("mode", "ro")
	return v
}
