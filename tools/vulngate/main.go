// Command vulngate decides whether what govulncheck found stops a change.
//
//	govulncheck -format json ./... > report.json
//	vulngate report.json
//
// It fails on a vulnerability of a third-party module whose function our code reaches: we can raise that version, or
// drop the module. A reachable one in the standard library is printed as a note, because it is healed by whoever
// installs a newer Go, and no commit here could make the check green again. What is merely required or imported, and
// never called, is counted. A report that is cut off, or that was not made at symbol level, is an error: it
// proves nothing.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: vulngate report.json")
		os.Exit(2)
	}
	ok, err := gate(os.Args[1], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "vulngate:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// gate reads the report in the named file, prints what is worth knowing and says whether the change may pass.
func gate(path string, out io.Writer) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("open report: %w", err)
	}
	defer f.Close()
	r, err := read(f)
	if err != nil {
		return false, fmt.Errorf("read report %s: %w", path, err)
	}
	return r.print(out), nil
}
