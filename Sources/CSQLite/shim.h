// SQLite 3. Statics only for macros and variadics that Swift can't import; Database is its only importer.
#pragma once
#include <sqlite3.h>
