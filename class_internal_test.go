package gapless

import "testing"

func TestYesAndNo(t *testing.T) {
	words := Classes{ApprovalWords: []string{"ja"}, DenialWords: []string{"nein"}}
	for _, c := range []struct {
		classes Classes
		text    string
		yes     bool
	}{
		{Classes{}, "yes", true}, {Classes{}, "<@5> OK!", true}, {Classes{}, "👍", true},
		{Classes{}, "no", false}, {Classes{}, "Nope.", false}, {Classes{}, "hermes, no", false}, {Classes{}, "❌\uFE0F", false},
		{words, "Ja!", true}, {words, "nein", false},
	} {
		m, p := Message{Text: c.text}, Policy{Names: []string{"Hermes"}}
		if got := c.classes.Of(&m, &p, 5); got != ClassApproval {
			t.Errorf("%q is %s", c.text, got)
		}
		if got := c.classes.approves(&m, &p, 5); got != c.yes {
			t.Errorf("%q approves: %t", c.text, got)
		}
	}
}
