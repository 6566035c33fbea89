package sqlite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gapless/sqlite"
)

func TestOpenSaysWhatIsWrongWithTheDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := t.TempDir()
	write(t, filepath.Join(foreign, "gapless.db"), strings.Repeat("not a database ", 1000))
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "gapless.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, dir string
		says      []string
	}{
		{"none", "", []string{"Dir is required"}},
		{"a file", file, []string{file, "is a file", "name another directory"}},
		{"below a file", filepath.Join(file, "data"), []string{file, "name"}},
		{"no database", foreign, []string{foreign, "damaged", "restore a backup"}},
		{"a folder where the database should be", folder, []string{folder, "gapless.db"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := sqlite.Open(t.Context(), sqlite.Config{Dir: tt.dir})
			if err == nil {
				t.Fatal("opened", l.Close())
			}
			says(t, err, tt.says...)
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// says checks that an error names all that an operator needs.
func says(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("got no error")
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}
