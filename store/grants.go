package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// grantsOn returns the statements that give others the rights which they have on a table, for the one that takes its place.
func grantsOn(ctx context.Context, tx pgx.Tx, table string) ([]string, error) {
	rows, err := tx.Query(ctx, `SELECT format('GRANT %s ON %s TO %s%s', a.privilege_type, $1::text,
			CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END, CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
		FROM pg_class c CROSS JOIN aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
		WHERE c.oid = to_regclass($1) AND a.grantee <> c.relowner AND (a.grantee = 0 OR r.oid IS NOT NULL)`, table)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
