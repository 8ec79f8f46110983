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

// plainInterval is how often a meter without a terminal writes a line.
const plainInterval = 5 * time.Second

// meter shows the progress of a long command, with its rate and the time left: as a bar on a terminal,
// otherwise as lines. Only one goroutine may use it at a time.
type meter struct {
	out      io.Writer
	bar      *progressbar.ProgressBar // nil if out is not a terminal
	total    int64                    // final position; 0 if unknown
	start    time.Time
	from     int64 // the first position
	begun    bool
	last     time.Time
	interval time.Duration
}

// newMeter returns a meter for work up to total, in bytes or any other unit; 0 means unknown.
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

// set shows the number of documents done and the position that they reach.
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
		_ = m.bar.Set64(position) // a closed terminal is no reason to stop
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

// done removes the bar.
func (m *meter) done() {
	if m.bar != nil {
		_ = m.bar.Clear()
	}
}

// counted formats a count with its noun: 1 document, 1,234 documents.
func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// grouped formats 1234567 as 1,234,567.
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
