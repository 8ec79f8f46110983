package importer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rowansearch/rowan/cmd/rowan/internal/records"
	"github.com/rowansearch/rowan/cmd/rowan/internal/retry"
	"github.com/rowansearch/rowan/openapi/client"
)

// deliver writes actions, and returns nil once each one is either written or, if bad ones are passed over,
// reported. The server refuses a batch as a whole: deliver removes the actions that the server names and
// sends the rest again; if it names none, deliver halves the batch until the bad ones stand alone.
func (r *run) deliver(ctx context.Context, actions []action) error {
	for len(actions) > 0 {
		err := r.send(ctx, actions)
		if err == nil {
			return nil
		}
		problem, refused := refusal(err)
		if !refused {
			return err
		}
		messages := named(problem, len(actions))
		switch {
		case len(messages) > 0:
			good := make([]action, 0, len(actions)-len(messages))
			var stop error
			for i, a := range actions {
				message, isBad := messages[i]
				if !isBad {
					good = append(good, a)
				} else if err := r.bad(records.Bad{Line: a.line, Message: message}); err != nil {
					stop = err
				}
			}
			if stop != nil {
				return stop
			}
			actions = good
		case len(actions) == 1:
			return r.bad(records.Bad{Line: actions[0].line, Message: problem.Error()})
		default:
			half := len(actions) / 2
			if err := r.deliver(ctx, actions[:half]); err != nil {
				return err
			}
			actions = actions[half:]
		}
	}
	return nil
}

// send writes actions in one batch. Sending again is safe, even if the first attempt was applied and only its
// answer was lost, because every action is an upsert.
func (r *run) send(ctx context.Context, actions []action) error {
	body := encode(actions)
	var results []client.ActionResult
	err := retry.Do(ctx, r.cfg.Patience, r.retrying, func() error {
		answer, err := r.cfg.Client.WriteBatchWithBodyWithResponse(ctx, r.cfg.Index, "application/json", bytes.NewReader(body))
		if err != nil {
			return err
		}
		if answer.JSON200 == nil {
			return fmt.Errorf("the server that answered %s is not Rowan", answer.Status())
		}
		results = *answer.JSON200
		return nil
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress.Written += int64(len(actions))
	for _, res := range results {
		switch res.Result {
		case client.ActionOutcomeCreated:
			r.progress.Created++
		case client.ActionOutcomeUpdated:
			r.progress.Updated++
		}
	}
	return nil
}

func (r *run) retrying(err error, pause time.Duration) {
	if r.cfg.OnRetry == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cfg.OnRetry(err, pause)
}

// refusal reports whether err says that the batch itself is at fault, so that a smaller one may be accepted.
func refusal(err error) (*client.Problem, bool) {
	problem, ok := errors.AsType[*client.Problem](err)
	if !ok {
		return nil, false
	}
	switch problem.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return problem, true
	}
	return nil, false
}

// named returns the messages of a problem by action, for the actions that it names in a batch of n: body[17].body.price. What
// is wrong with an _id is said once, although the action has it twice: its own, and the one in the record.
func named(problem *client.Problem, n int) map[int]string {
	said := make(map[int][]string)
	for _, fault := range problem.Errors {
		rest, ok := strings.CutPrefix(fault.Location, "body[")
		if !ok {
			continue
		}
		digits, place, ok := strings.Cut(rest, "]")
		i, err := strconv.Atoi(digits)
		if !ok || err != nil || i < 0 || i >= n {
			continue
		}
		// The action wraps the record, whose author knows its properties without "body.".
		place = strings.TrimPrefix(strings.TrimPrefix(place, ".body"), ".")
		message := fault.Message + got(fault.Value)
		if place != "" {
			message = place + ": " + message
		}
		if !slices.Contains(said[i], message) {
			said[i] = append(said[i], message)
		}
	}
	messages := make(map[int]string, len(said))
	for i, texts := range said {
		messages[i] = strings.Join(texts, "; ")
	}
	return messages
}
