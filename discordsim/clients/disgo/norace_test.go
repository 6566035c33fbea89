//go:build !race

package disgo_test

const raceDetector = false
