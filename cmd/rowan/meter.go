package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// plainInterval is how often a meter that is no terminal says how far it is.
const plainInterval = 5 * time.Second

// meter shows how far a long command is, with its rate and the time left: as a bar on a terminal, as lines
// elsewhere. It is for one goroutine at a time.
type meter struct {
	out      io.Writer
	bar      *progressbar.ProgressBar // nil where out is no terminal
	total    int64                    // of the position; 0 when unknown
	start    time.Time
	from     int64 // the first position
	begun    bool
	last     time.Time
	interval time.Duration
}

// newMeter makes a meter for a work of total (0: not known): bytes, or whatever else it is counted in.
func newMeter(out io.Writer, total int64, bytes bool) *meter {
	m := &meter{out: out, total: total, start: time.Now(), last: time.Now(), interval: plainInterval}
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return m
	}
	limit := total
	if limit == 0 {
		limit = -1
	}
	m.interval = 100 * time.Millisecond
	m.bar = progressbar.NewOptions64(limit,
		progressbar.OptionSetWriter(out), progressbar.OptionShowBytes(bytes), progressbar.OptionUseIECUnits(true),
		progressbar.OptionSetPredictTime(true), progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(m.interval))
	return m
}

// expect sets the total, once it is known.
func (m *meter) expect(total int64) {
	m.total = total
	if m.bar != nil && total > 0 {
		m.bar.ChangeMax64(total)
	}
}

// set shows the number of documents done, and how far that is.
func (m *meter) set(documents, position int64) {
	now := time.Now()
	if !m.begun {
		m.begun, m.from = true, position
	}
	if now.Sub(m.last) < m.interval {
		return
	}
	m.last = now
	elapsed := now.Sub(m.start)
	text := fmt.Sprintf("%s, %s/s", counted(documents, "document"), grouped(int64(float64(documents)/elapsed.Seconds())))
	if m.bar != nil {
		m.bar.Describe(text)
		_ = m.bar.Set64(position) // a terminal that is gone is no reason to stop
		return
	}
	if m.total > 0 && position > m.from {
		left := time.Duration(float64(elapsed) * float64(m.total-position) / float64(position-m.from))
		text += fmt.Sprintf(", %d%%, %s left", 100*position/m.total, left.Round(time.Second))
	}
	_, _ = fmt.Fprintln(m.out, text)
}

// notef writes a line, above the bar if there is one.
func (m *meter) notef(format string, args ...any) {
	if m.bar != nil {
		_ = m.bar.Clear()
	}
	_, _ = fmt.Fprintf(m.out, format+"\n", args...)
}

// done takes the bar away.
func (m *meter) done() {
	if m.bar != nil {
		_ = m.bar.Clear()
	}
}

// counted writes 1 document, and 1,234 documents.
func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// grouped writes 1234567 as 1,234,567.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}
