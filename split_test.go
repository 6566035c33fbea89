package gapless_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"gapless"

	"gapless/internal/property"
	"pgregory.net/rapid"
)

func TestSplitText(t *testing.T) {
	for _, c := range []struct {
		name  string
		text  string
		limit int
		want  []string
	}{
		{"short", "hello", 20, []string{"hello"}},
		{"nothing", "", 20, nil},
		{"white space only", " \n\t ", 20, nil},
		{"exactly the limit", strings.Repeat("a", 20), 20, []string{strings.Repeat("a", 20)}},
		{"a paragraph's end is preferred", "one two three\n\nfour five", 20, []string{"one two three", "four five"}},
		{"a line's end", "one two three\nfour five", 20, []string{"one two three", "four five"}},
		{"a word's end", "one two three four five", 20, []string{"one two three", "four five"}},
		{"no end at all", strings.Repeat("a", 30), 20, []string{strings.Repeat("a", 16), strings.Repeat("a", 14)}},
		{"astral characters count twice", strings.Repeat("😀", 11), 20, []string{strings.Repeat("😀", 8), strings.Repeat("😀", 3)}},
		{
			"a code block is closed and opened again, with its language",
			"```go\nfirst line\nsecond line\n```", 24,
			[]string{"```go\nfirst line\n```", "```go\nsecond line\n```"},
		},
		{
			"a code block without language",
			"```\nfirst line\nsecond line\n```", 24,
			[]string{"```\nfirst line\n```", "```\nsecond line\n```"},
		},
		{"inline code is no block", "say `a` and ```b``` twice over", 24, []string{"say `a` and ```b```", "twice over"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := gapless.SplitText(c.text, c.limit)
			if strings.Join(got, "|") != strings.Join(c.want, "|") || len(got) != len(c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func length(s string) int { return len(utf16.Encode([]rune(s))) }

func drawAnswer(t *rapid.T) string {
	piece := rapid.OneOf(
		rapid.StringN(0, 400, -1),
		rapid.StringMatching(`[a-z ]{0,900}\n`),
		rapid.SampledFrom([]string{"\n```go\n", "\n```\n", "```", "`", "\n\n", "😀😀😀", "``` python x\n", "~~~\n", " ", strings.Repeat("x", 2500)}),
	)
	return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
}

func TestNoPartIsTooLong(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		for _, part := range gapless.SplitText(drawAnswer(t), gapless.MaxText) {
			if n := length(part); n > gapless.MaxText {
				t.Fatalf("a part has %d units: %q", n, part)
			}
			if strings.TrimSpace(part) == "" {
				t.Fatal("a part is empty: Discord would refuse it")
			}
		}
	})
}

// squeeze leaves what must survive: everything but white space and fences.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
}

func TestNothingIsLostInText(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(drawAnswer(t), "`", "'")
		if got := squeeze(strings.Join(gapless.SplitText(text, gapless.MaxText), "")); got != squeeze(text) {
			t.Fatalf("%d characters became %d", len(squeeze(text)), len(got))
		}
	})
}

// A long answer made of prose and well-formed code blocks: each part has its
// fences in pairs, code keeps its language, and no line of code is lost.
func TestCodeBlocksStayWhole(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		var b strings.Builder
		code := 0
		for i := range rapid.IntRange(1, 6).Draw(t, "sections") {
			lines := rapid.IntRange(1, 120).Draw(t, "lines")
			if rapid.Bool().Draw(t, "code") {
				b.WriteString("```go\n" + strings.Repeat("code := 1\n", lines) + "```\n")
				code += lines
			} else {
				b.WriteString(strings.Repeat("some words of prose. ", lines))
				b.WriteString([]string{"\n", "\n\n"}[i%2])
			}
		}
		got := 0
		for _, part := range gapless.SplitText(b.String(), gapless.MaxText) {
			if strings.Count(part, "```")%2 != 0 {
				t.Fatalf("a part leaves a code block open: %q", part)
			}
			inside := false
			for line := range strings.Lines(part) {
				switch line = strings.TrimSpace(line); {
				case line == "```go":
					inside = true
				case line == "```":
					inside = false
				case line == "code := 1":
					if got++; !inside {
						t.Fatalf("code outside a block with its language: %q", part)
					}
				}
			}
		}
		if got != code {
			t.Fatalf("%d lines of code became %d", code, got)
		}
	})
}

func TestSplitEndsWhateverTheLimit(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		text := drawAnswer(t)
		limit := rapid.IntRange(40, 100).Draw(t, "limit")
		if parts := gapless.SplitText(text, limit); len(parts) > len(text)+1 {
			t.Fatalf("%d bytes became %d parts", len(text), len(parts))
		}
	})
}

func TestStretchOfWhiteSpaceGivesNoEmptyPart(t *testing.T) {
	for _, text := range []string{strings.Repeat(" ", 3000) + "x", strings.Repeat("\n", 5000) + "x", "x" + strings.Repeat("\n \n", 2000) + "y"} {
		for _, part := range gapless.SplitText(text, gapless.MaxText) {
			if strings.TrimSpace(part) == "" {
				t.Errorf("an empty part: Discord would refuse it")
			}
		}
	}
}

// A block whose opening line falls just before the cut must not leave an empty block.
func TestNoEmptyCodeBlockAtACut(t *testing.T) {
	for n := 1970; n < 2000; n++ {
		text := strings.Repeat("a", n) + "\n```go\n" + strings.Repeat("code\n", 100) + "```"
		for _, part := range gapless.SplitText(text, gapless.MaxText) {
			if strings.Contains(part, "```go\n```") {
				t.Errorf("%d: an empty code block ends %q", n, part[len(part)-20:])
			}
		}
	}
}
