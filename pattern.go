package gapless

import (
	"fmt"
	"regexp"
)

// Pattern is a regular expression in Go's syntax, compiled once. The zero
// Pattern matches nothing. A configuration reads it as text.
type Pattern struct{ re *regexp.Regexp }

// NewPattern compiles an expression; the error quotes it and says what is wrong.
func NewPattern(expression string) (Pattern, error) {
	re, err := regexp.Compile(expression)
	if err != nil {
		return Pattern{}, fmt.Errorf("read pattern %q: %w", expression, err)
	}
	return Pattern{re}, nil
}

// Match reports whether the expression matches anywhere in the text; ^ and $
// tie it to the ends, (?i) makes it blind to case.
func (p Pattern) Match(text string) bool { return p.re != nil && p.re.MatchString(text) }

// String is the expression as it was given.
func (p Pattern) String() string {
	if p.re == nil {
		return ""
	}
	return p.re.String()
}

// MarshalText writes the expression.
func (p Pattern) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText compiles the expression; an empty one is the zero Pattern.
func (p *Pattern) UnmarshalText(b []byte) (err error) {
	*p = Pattern{}
	if len(b) > 0 {
		*p, err = NewPattern(string(b))
	}
	return err
}
