package scenario

import (
	"fmt"
	"net/http"
	"time"

	"gapless/discordsim"
)

// stormBound is how many answers of 401, 403 and 429 a run may have that asks for no slack.
const stormBound = 20

// refusalPause is the least time between two reads that Discord refuses alike: a place that says no is not asked again
// within a minute, less what clocks and jitter take (R9).
const refusalPause = 50 * time.Second

// judgeInvalid holds what counts against Discord's limit of invalid requests: no storm, no 429 that the script has not
// caused, and no refused read that is repeated at once.
func (e *evidence) judgeInvalid() []string {
	var wrong []string
	invalid, limited, hasty := 0, 0, 0
	type question struct {
		method, route string
		place         discordsim.ID
	}
	refused := map[question]time.Time{}
	for _, c := range e.calls {
		switch c.status {
		case http.StatusUnauthorized:
			invalid++
		case http.StatusTooManyRequests:
			invalid++
			limited++
		case http.StatusForbidden:
			invalid++
			q := question{method: c.method, route: c.route, place: c.place}
			if last, again := refused[q]; again && c.method == http.MethodGet && c.at.Sub(last) < refusalPause {
				hasty++
				wrong = append(wrong, fmt.Sprintf("%s %s was refused and asked again after %s", c.method, c.route, c.at.Sub(last).Round(time.Millisecond)))
			}
			refused[q] = c.at
		}
	}
	if hasty <= e.allow.invalid {
		wrong = nil
	}
	if limited > e.allow.invalid && !e.limited {
		wrong = append(wrong, fmt.Sprintf("%d answers of 429, though the script limits nothing beyond what Discord does", limited))
	}
	if bound := stormBound + e.allow.invalid; invalid > bound {
		wrong = append(wrong, fmt.Sprintf("a storm: %d answers of 401, 403 and 429", invalid))
	}
	return wrong
}
