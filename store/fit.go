package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// checkFit looks for stored documents that do not fit the new mappings: among all, or among those with the given ids if ids is not nil.
func checkFit(ctx context.Context, db querier, old, sh table.Shape, ids []string) error {
	var tests, misfits []string
	for _, f := range sh.Fields {
		if m, ok := old.Field(f.Name); ok && m.Type == f.Type {
			continue
		}
		test := "NOT rowan.fits(" + table.Source(f.Name) + ", " + sqltext.Literal(string(f.Type)) + ")"
		if path := refused(f.Type); path != "" {
			test = "(" + test + " OR jsonb_path_exists(" + table.Source(f.Name) + ", " + sqltext.Literal(path) + "))"
		}
		tests = append(tests, test)
		misfits = append(misfits, fmt.Sprintf("CASE WHEN %s THEN jsonb_build_array(%s, %s, %s) END", test, sqltext.Literal(f.Name), sqltext.Literal(string(f.Type)), table.Source(f.Name)))
	}
	if len(tests) == 0 {
		return nil
	}
	var conflict *service.Error
	var id string
	var misfit []json.RawMessage
	add := func() error {
		if conflict == nil {
			conflict = service.Errorf(service.CodeMappingConflict, "Stored documents do not fit the new mappings; nothing was changed. Correct these documents, or choose another type.")
		}
		var name, typ string
		for i, to := range []any{&name, &typ} {
			if err := json.Unmarshal(misfit[i], to); err != nil {
				return err
			}
		}
		conflict.With(service.FieldError{Location: "document " + id + ", " + name, Message: "does not fit the type " + typ, Value: misfit[2]})
		return nil
	}
	where, args := "("+strings.Join(tests, " OR ")+")", []any(nil)
	if ids != nil {
		where, args = "_id = ANY($1) AND "+where, []any{ids}
	}
	rows, _ := db.Query(ctx, fmt.Sprintf("SELECT _id, coalesce(%s) FROM %s WHERE %s LIMIT 10", strings.Join(misfits, ", "), old.Table, where), args...)
	if _, err := pgx.ForEachRow(rows, []any{&id, &misfit}, add); err != nil {
		return err
	}
	if conflict != nil {
		return conflict
	}
	return nil
}

// refused returns a JSON path to values that the columns of a type can read, because others may write such rows, but that the API rejects in
// documents: whoever reads one and sends it back would be told that it does not fit. "" means none.
func refused(t mapping.Type) string {
	switch t {
	case mapping.Int, mapping.Long, mapping.Float, mapping.Price, mapping.SearchableNumber, mapping.Bool:
		return `strict $.** ? (@.type() == "string" && @ like_regex "^\\s|\\s$")`
	case mapping.Date:
		// A leap second needs a zone and must not have a fraction. Whether its minute has one is only checked when documents are sent.
		return `strict $.** ? (@.type() == "number" && @.floor() != @ || @.type() == "string" && !(@ like_regex ` +
			`"^\\d{4}-\\d\\d-\\d\\d([Tt]\\d\\d:\\d\\d(:([0-5]\\d|([0-5]\\d(\\.\\d+)?|60)([Zz]|[+-](0\\d|1[0-5]):[0-5]\\d)))?)?$"))`
	}
	return ""
}
