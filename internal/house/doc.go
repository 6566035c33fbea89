// Package house holds the tree to its own rules: which room may import which, that decisions stay pure, that every name
// is explained, that files stay small. It is tests only; each failure says what to do about it.
package house
