package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks a database as a ledger of ours, in its header.
const applicationID = 0x67706c73

// checkedUpTo is the size, in bytes, up to which opening reads the whole
// database to find damage; larger ones are read as they are used.
const checkedUpTo = 64 << 20

// newest is the number of the latest migration this program has.
func newest() int64 {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(files) == 0 {
		return 0
	}
	number, _, _ := strings.Cut(path.Base(files[len(files)-1]), "_")
	n, _ := strconv.ParseInt(number, 10, 64)
	return n
}

// seed gives an empty file its first page, without a journal beside it: only
// then does SQLite leave the companions that makeFiles made in place.
func seed(ctx context.Context, cfg Config) error {
	if info, err := os.Stat(cfg.database()); err != nil || info.Size() > 0 {
		return err
	}
	db, err := sql.Open(cfg.Driver.Name, source(cfg.database(), pragmas("journal_mode(memory)", "synchronous(full)")))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID))
	return errors.Join(err, db.Close())
}

// prepare brings the database to this program's schema, or says why it cannot.
func prepare(ctx context.Context, cfg Config, db *sql.DB) error {
	if err := ours(ctx, cfg, db); err != nil {
		return err
	}
	if err := sound(ctx, cfg, db); err != nil {
		return err
	}
	if err := notNewer(ctx, cfg, db); err != nil {
		return err
	}
	if err := migrate(ctx, db); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "INSERT INTO meta (one, ledger, commits) VALUES (1, ?, 0) ON CONFLICT DO NOTHING", rand.Text())
	return err
}

// ours refuses the database of another program.
func ours(ctx context.Context, cfg Config, db *sql.DB) error {
	var id, tables int
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	switch {
	case id == applicationID:
		return nil
	case tables > 0 || id != 0:
		return fmt.Errorf("%s is another program's database: name another data directory", cfg.database())
	}
	_, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID))
	return err
}

// sound looks for damage, as far as that is quick.
func sound(ctx context.Context, cfg Config, db *sql.DB) error {
	var pages, size int64
	if err := db.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, "PRAGMA page_size").Scan(&size); err != nil {
		return err
	}
	if pages*size > checkedUpTo {
		return nil
	}
	var said string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		return fmt.Errorf("ledger %s is damaged (%s); %s", cfg.database(), said, wayBack)
	}
	return nil
}

// notNewer refuses a database that a newer program has migrated.
func notNewer(ctx context.Context, cfg Config, db *sql.DB) error {
	has, err := version(ctx, db)
	if err != nil {
		return err
	}
	if knows := newest(); has > knows {
		return fmt.Errorf("ledger %s has schema %d and this program knows %d: run the newer gapless that used it last, "+
			"or restore the backup from before the update", cfg.database(), has, knows)
	}
	return nil
}

// version is the number of the last migration applied, zero for none.
func version(ctx context.Context, db *sql.DB) (has int64, err error) {
	var tables int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'goose_db_version'").Scan(&tables)
	if err != nil || tables == 0 {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version").Scan(&has)
	return has, err
}

func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate ledger (the database stays as it was): %w", err)
	}
	return nil
}
