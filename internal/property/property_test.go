package property_test

import (
	"slices"
	"testing"

	"gapless/internal/property"
	"pgregory.net/rapid"
)

func drawn(t *testing.T) (all []int) {
	property.Check(t, func(t *rapid.T) { all = append(all, rapid.Int().Draw(t, "n")) })
	return all
}

func TestExamples(t *testing.T) {
	t.Setenv(property.Env, "7")
	first, second := drawn(t), drawn(t)
	if slices.Equal(first, second) {
		t.Error("a second check of one test draws the same examples")
	}
	t.Run("seed", func(t *testing.T) {
		if !slices.Equal(drawn(t), first) {
			t.Error("the same seed draws other examples in another test")
		}
		t.Setenv(property.Env, "0")
		if slices.Equal(drawn(t), first) {
			t.Error("seed 0 repeats examples")
		}
	})
}
