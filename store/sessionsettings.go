package store

import (
	"maps"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/store/sqltext"
)

// defaultSettings returns the settings of every session that the address may override.
func defaultSettings() map[string]string {
	return map[string]string{
		// Each index is another table, and each statement has other values: only searches (forReads) and statements that write documents (keepPlans) keep
		// plans.
		"plan_cache_mode": "force_custom_plan",
		"jit":             "off",
		// All our names have their schema; a role may have another path.
		"search_path": "pg_catalog",
		// A role's limit would keep large indices from ever being rebuilt. Searches have their own limit.
		"statement_timeout": "0",
		// Far above any search limit: it ends what a lost client has left behind.
		"idle_in_transaction_session_timeout": "300000",
		// Sessions hold locks while other connections do the work of a migration or a rebuild.
		"idle_session_timeout": "0",
	}
}

// fixedSettings returns the settings of every session that not even the address overrides: others would change what is stored and what is answered, or
// could not be read back.
func fixedSettings() map[string]string {
	return map[string]string{
		// In the zone of a session, the last instants of the year 9999 may be in the year 10000, which cannot be read.
		"timezone":                    "UTC",
		"client_encoding":             "UTF8",
		"standard_conforming_strings": "on",
		"extra_float_digits":          "1",
		// Cursors have dates as text, and not every style can be read back.
		"datestyle": "ISO, MDY",
		// Functions that migrations create have quotes in strings, and variables of the same name in nested blocks.
		"backslash_quote":        "safe_encoding",
		"plpgsql.extra_errors":   "none",
		"gin_fuzzy_search_limit": "0",
		// If row policies also applied to this role (FORCE ROW LEVEL SECURITY), documents would be missing from answers, and from a rebuilt table. With
		// this setting, such statements fail.
		"row_security": "off",
		// Locks are separate statements so that the statements after them see what was committed before they were granted (writes.go, reshape.go).
		"default_transaction_isolation": "read committed",
	}
}

// settingSQL returns the statements that set the settings of a session; those of the address (params) that apply are already set. They cannot be startup
// parameters: PgBouncer rejects these, and with default_transaction_read_only, a URL of several hosts with target_session_attrs=read-write would take
// every server for a standby. They are a transaction of their own isolation: a standby refuses the default of a database that is serializable.
func settingSQL(session, params map[string]string) string {
	var sets strings.Builder
	sets.WriteString("BEGIN ISOLATION LEVEL READ COMMITTED;")
	for _, name := range slices.Sorted(maps.Keys(session)) {
		sets.WriteString("SET " + name + " = " + sqltext.Literal(session[name]) + ";")
	}
	if _, set := params["search_path"]; !set {
		sets.WriteString("SELECT set_config('search_path', 'pg_catalog, public', false) WHERE NOT " + publicIsOpen + ";")
	}
	if _, set := params["transaction_timeout"]; !set { // since PostgreSQL 17; it would even end transactions that have set a longer statement_timeout
		sets.WriteString("SELECT set_config('transaction_timeout', '0', false) WHERE current_setting('server_version_num')::int >= 170000;")
	}
	sets.WriteString("COMMIT")
	return sets.String()
}
