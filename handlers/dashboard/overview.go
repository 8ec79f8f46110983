package dashboard

import (
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rowansearch/rowan/service"
)

const (
	// countTime is how long a page waits for documents to be counted; PostgreSQL has to read each one.
	countTime = 3 * time.Second
	// countedAtOnce limits how many connections counting takes away from searches.
	countedAtOnce = 2
	overviewList  = 10
	overviewLimit = 100
)

// indexRow is an index with its counts; Counted reports whether they came in time.
type indexRow struct {
	*service.Index
	service.IndexStats
	Counted bool
}

// countAll counts the documents of several indices. An index that has meanwhile been deleted, or takes too
// long, stays uncounted.
func (v *visit) countAll(list []*service.Index) ([]indexRow, error) {
	rows := make([]indexRow, len(list))
	ctx, cancel := context.WithTimeout(v.ctx(), countTime)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(countedAtOnce)
	for i, ix := range list {
		rows[i].Index = ix
		group.Go(func() error {
			if ctx.Err() != nil {
				return v.ctx().Err()
			}
			_, stats, err := v.d.svc.Index(ctx, ix.Application, ix.Name)
			if ctx.Err() != nil || service.ErrorCode(err) == service.CodeIndexNotFound {
				return v.ctx().Err()
			}
			rows[i].IndexStats, rows[i].Counted = stats, err == nil
			return err
		})
	}
	return rows, group.Wait()
}

// largestFirst sorts indices by their sizes. If these take too long to find out, they stay as they are.
func (v *visit) largestFirst(list []*service.Index) error {
	ctx, cancel := context.WithTimeout(v.ctx(), countTime)
	defer cancel()
	sizes, err := v.d.svc.IndexSizes(ctx, v.app())
	if ctx.Err() != nil {
		return v.ctx().Err()
	}
	slices.SortStableFunc(list, func(a, b *service.Index) int { return cmp.Compare(sizes[b.Name], sizes[a.Name]) })
	return err
}

type overviewPage struct {
	Indices int64
	// Whole reports whether Documents and SizeBytes cover all indices.
	Whole                bool
	Documents, SizeBytes int64
	Largest              []indexRow
	Metrics              *SearchMetrics
}

func (d *dashboard) showOverview(v *visit) error {
	list, err := d.svc.Indices(v.ctx(), v.app(), "")
	if err != nil {
		return err
	}
	if err := v.largestFirst(list); err != nil {
		return err
	}
	rows, err := v.countAll(list[:min(len(list), overviewLimit)])
	if err != nil {
		return err
	}
	page := overviewPage{Indices: int64(len(list)), Whole: len(list) <= overviewLimit}
	for _, row := range rows {
		page.Documents += row.Documents
		page.SizeBytes += row.SizeBytes
		page.Whole = page.Whole && row.Counted
	}
	slices.SortStableFunc(rows, func(a, b indexRow) int { return cmp.Compare(b.SizeBytes, a.SizeBytes) })
	page.Largest = rows[:min(len(rows), overviewList)]
	if d.cfg.Metrics != nil {
		if m, ok := d.cfg.Metrics.SearchMetrics(v.ctx(), v.app()); ok {
			page.Metrics = &m
		}
	}
	return v.render("overview", "Overview", "overview", page)
}

const (
	analyticsDays  = 7
	analyticsLimit = 25
)

type analyticsPage struct {
	service.QueryReport
	Days int
	// Percent is the share of searches that is recorded, in percent.
	Percent float64
}

func (d *dashboard) showAnalytics(v *visit) error {
	report, err := d.cfg.Analytics.QueryReport(v.ctx(), v.app(), time.Now().AddDate(0, 0, -analyticsDays), analyticsLimit)
	if err != nil {
		return err
	}
	return v.render("analytics", "Analytics", "analytics", analyticsPage{report, analyticsDays, 100 * report.Share})
}
