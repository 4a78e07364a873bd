// SQLite 3. Statics only for macros and variadics that Swift can't import; Database is its only importer.
#pragma once
#include <fcntl.h>
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift can't write.
static inline int csqlite_bind_text(sqlite3_stmt *s, int i, const char *p, sqlite3_uint64 n) {
  return sqlite3_bind_text64(s, i, p, n, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int csqlite_bind_blob(sqlite3_stmt *s, int i, const void *p, sqlite3_uint64 n) {
  return sqlite3_bind_blob64(s, i, p, n, SQLITE_TRANSIENT);
}
// A variadic: one switch of a connection on or off (SQLITE_DBCONFIG_…).
static inline int csqlite_configure(sqlite3 *db, int which, int on) { return sqlite3_db_config(db, which, on, 0); }
// A variadic: a new file that only its owner may read, or -1 and errno.
static inline int csqlite_create_file(const char *path) {
  return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}
