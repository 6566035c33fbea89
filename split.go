package gapless

import (
	"strings"
	"unicode/utf8"
)

// SplitText cuts text into parts of at most limit units (see [MaxText]),
// preferring the end of a paragraph, line or word in the second half of a
// part. A code block that is cut is closed and opened again with its language,
// so that each part renders alone. Nothing but white space at a cut is lost.
// Text that is only white space gives no part.
func SplitText(text string, limit int) []string {
	var parts []string
	fence := "" // the opening line of the code block we are in, or empty
	rest := strings.TrimRight(text, " \t\r\n")
	for strings.TrimSpace(rest) != "" {
		head := ""
		if fence != "" {
			head = fence + "\n"
		}
		if units(head)+units(rest) <= limit {
			parts = append(parts, head+rest)
			break
		}
		room := limit - units(head) - len("\n```")
		part, after := cut(rest, max(room, 1))
		next := fenceAfter(part, fence)
		if i := strings.LastIndex(part, "\n") + 1; next != "" && fence == "" && i > 0 && strings.HasPrefix(part[i:], "```") {
			part, after, next = part[:i], rest[i:], "" // the opening line goes with its block
		}
		switch {
		case next != "":
			parts = append(parts, head+strings.TrimRight(part, "\n")+"\n```")
		case strings.TrimSpace(part) != "" || fence != "":
			parts = append(parts, strings.TrimRight(head+part, " \t\r\n"))
		}
		fence, rest = next, after
	}
	return parts
}

// cut takes at most room units off the front of text.
func cut(text string, room int) (part, rest string) {
	end, used := 0, 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		n := unitsOf(r)
		if used+n > room {
			break
		}
		used, end = used+n, end+size
	}
	if end == 0 {
		_, end = utf8.DecodeRuneInString(text)
	}
	for _, sep := range []string{"\n\n", "\n", " "} {
		if i := strings.LastIndex(text[:end], sep); i >= end/2 {
			return text[:i], text[i+len(sep):]
		}
	}
	return text[:end], text[end:]
}

// fenceAfter is the opening line of the code block that is open at the end of
// part, given the one open at its beginning. Openings longer than a language
// name are repeated without it.
func fenceAfter(part, open string) string {
	for line := range strings.Lines(part) {
		line = strings.TrimSpace(line)
		if strings.Count(line, "```")%2 == 0 {
			continue
		}
		if open != "" {
			open = ""
			continue
		}
		open = "```"
		if lang := line[strings.LastIndex(line, "```")+3:]; len(lang) <= 20 && !strings.ContainsAny(lang, " `") {
			open += lang
		}
	}
	return open
}

func units(s string) int {
	n := 0
	for _, r := range s {
		n += unitsOf(r)
	}
	return n
}

func unitsOf(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}
