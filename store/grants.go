package store

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
)

// replaceable returns an error if something that others have created keeps the table of sh from being replaced: objects that depend on it, or a
// policy for rows that needs a column which goes. Without its policies, rights would show all rows.
func replaceable(ctx context.Context, conn querier, sh table.Shape) error {
	rows, err := conn.Query(ctx, `SELECT format('policy %I of %s needs the column %I', p.polname, $1::text, a.attname)
		FROM pg_policy p JOIN pg_depend d ON d.classid = 'pg_policy'::regclass AND d.objid = p.oid AND d.refobjid = p.polrelid
		JOIN pg_attribute a ON a.attrelid = p.polrelid AND a.attnum = d.refobjsubid
		WHERE p.polrelid = to_regclass($1) AND d.refobjsubid > 0 AND NOT a.attname = ANY($2::text[])
		UNION ALL
		SELECT pg_describe_object(d.classid, d.objid, d.objsubid) || ' depends on table ' || $1
		FROM pg_depend d WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = to_regclass($1) AND d.deptype = 'n'
		AND NOT EXISTS (SELECT FROM pg_depend o WHERE (o.classid, o.objid) = (d.classid, d.objid) AND (o.refclassid, o.refobjid) = (d.refclassid, d.refobjid) AND o.deptype <> 'n')`,
		sh.Table, sh.Columns())
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(found) == 0 {
		return err
	}
	return dependedOn(errors.New(strings.Join(found, ", ")))
}

// grantsOn returns the statements that give others their rights on the table of sh, which replaces another: on the table, on columns that both have,
// on the sequence, which those who write rows need, and the policies for rows.
func grantsOn(ctx context.Context, tx pgx.Tx, sh table.Shape) ([]string, error) {
	columns := sh.Columns()
	if err := replaceable(ctx, tx, sh); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `WITH t AS (SELECT * FROM pg_class WHERE oid = to_regclass($1))
		SELECT format('GRANT %s%s ON %s TO %s%s', a.privilege_type, ' (' || quote_ident(a.attname) || ')', a.target,
			CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END, CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' END)
		FROM (SELECT g.*, NULL::name AS attname, $1::text AS target FROM t CROSS JOIN aclexplode(t.relacl) g WHERE g.grantee <> t.relowner
			UNION ALL
			SELECT g.*, NULL, 'SEQUENCE ' || $3::text FROM pg_class c CROSS JOIN aclexplode(c.relacl) g WHERE c.oid = to_regclass($3) AND g.grantee <> c.relowner
			UNION ALL
			SELECT g.*, c.attname, $1 FROM t JOIN pg_attribute c ON c.attrelid = t.oid CROSS JOIN aclexplode(c.attacl) g WHERE c.attname = ANY($2::text[])) a
		LEFT JOIN pg_roles r ON r.oid = a.grantee WHERE a.grantee = 0 OR r.oid IS NOT NULL
		UNION ALL
		SELECT format('CREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s', p.polname, $1::text, CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
			CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
			(SELECT string_agg(coalesce(quote_ident(r.rolname), 'PUBLIC'), ', ') FROM unnest(p.polroles) o LEFT JOIN pg_roles r ON r.oid = o),
			' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')', ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
		FROM t JOIN pg_policy p ON p.polrelid = t.oid
		UNION ALL SELECT format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', $1::text) FROM t WHERE relrowsecurity
		UNION ALL SELECT format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', $1::text) FROM t WHERE relforcerowsecurity`, sh.Table, columns, sh.Sequence)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// dependedOn returns the error of a change that something prevents which others have created in the database.
func dependedOn(cause error) error {
	return service.Errorf(service.CodeIndexInUse, "Something that others created in the database, such as a view, depends on the table of this index; nothing was changed. The server's log names it. Drop it, and try again.").Because(cause)
}
