package embedded

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

const (
	mb = int64(1) << 20
	gb = int64(1) << 30
)

// settings returns the text of rowan.conf for a machine with the given memory (bytes) and cores. The numbers come
// from measurements of full-text search on 100,000 to 1,000,000 documents.
func (c *cluster) settings(ctx context.Context, memory int64, cores int, extra map[string]string) string {
	all := tuned(memory, cores)
	// lz4 is much faster than the default, if the programs were built with it.
	lz4 := []string{"-c", "default_toast_compression=lz4", "-c", "wal_compression=lz4"}
	if err := c.execute(ctx, "", c.programs.postgres(), append([]string{"-D", c.dir, "-C", "wal_compression"}, lz4...)...); err == nil {
		all["default_toast_compression"], all["wal_compression"] = "lz4", "lz4"
	}
	maps.Copy(all, extra)

	var b strings.Builder
	b.WriteString("# Written by Rowan at each start for the memory and the cores of the machine; changes here are lost.\n" +
		"# Settings of your own go to the end of postgresql.conf.\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s = '%s'\n", name, strings.ReplaceAll(all[name], "'", "''"))
	}
	return b.String()
}

// tuned returns the settings that differ from PostgreSQL's defaults.
func tuned(memory int64, cores int) map[string]string {
	size := func(bytes int64) string { return strconv.FormatInt(bytes/mb, 10) + "MB" }
	// A parallel query takes cores that other queries need: only machines with many cores have some to spare.
	workers := 0
	switch {
	case cores > 8:
		workers = 2
	case cores > 4:
		workers = 1
	}
	return map[string]string{
		"max_connections":                 "200",
		"shared_buffers":                  size(clamp(memory/4, 128*mb, 4*gb)),
		"effective_cache_size":            size(clamp(memory/10*6, 256*mb, math.MaxInt64)),
		"work_mem":                        size(clamp(memory/64, 16*mb, 64*mb)), // below 16 MB bitmaps become lossy
		"hash_mem_multiplier":             "2",
		"maintenance_work_mem":            size(clamp(memory/16, 64*mb, gb)),
		"jit":                             "off",
		"random_page_cost":                "1.1",
		"max_parallel_workers_per_gather": strconv.Itoa(workers),
		"max_wal_size":                    "4GB",
		"wal_compression":                 "on",
		"checkpoint_timeout":              "15min",
		// By default, a table of 1,000,000 rows may collect 200,000 dead ones before it is cleaned, slowly.
		"autovacuum_vacuum_scale_factor":  "0.05",
		"autovacuum_analyze_scale_factor": "0.05",
		"autovacuum_vacuum_cost_limit":    "1000",
		"autovacuum_naptime":              "30s",
		"timezone":                        "UTC",
		"log_timezone":                    "UTC",
		"log_line_prefix":                 "%m [%p] %q%a ",
		// Keep statements, parameters and details out of the log: they would contain documents.
		"log_min_error_statement":           "panic",
		"log_error_verbosity":               "terse",
		"log_parameter_max_length":          "0",
		"log_parameter_max_length_on_error": "0",
	}
}

func clamp(n, low, high int64) int64 { return max(low, min(n, high)) }

// machineMemory returns the memory in bytes that this process may use: that of the machine or, if smaller, the
// limit of its container. It returns 2 GB if the system does not tell.
func machineMemory() int64 {
	memory := int64(0)
	switch runtime.GOOS {
	case "linux":
		text, _ := os.ReadFile("/proc/meminfo")
		memory = parseMeminfo(string(text))
		for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
			text, _ := os.ReadFile(file)
			// Without a limit, one version of cgroups has "max" and the other a huge number.
			if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 {
				memory = min(memory, limit)
			}
		}
	case "darwin":
		if out, err := output(context.Background(), "sysctl", "-n", "hw.memsize"); err == nil {
			memory, _ = strconv.ParseInt(strings.TrimSpace(out), 10, 64)
		}
	}
	if memory <= 0 {
		return 2 * gb
	}
	return memory
}

// parseMeminfo returns MemTotal of /proc/meminfo in bytes, 0 if there is none.
func parseMeminfo(text string) int64 {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			return n << 10
		}
	}
	return 0
}
