// Jansson. Statics only for macros and variadics that Swift can't import; JSON is its only importer.
#pragma once
#include <jansson.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

// What jansson frees may have been a credential's secret: it is wiped first.
static inline void cjansson_wipe_and_free(void *memory) {
  if (memory == NULL) return;
  explicit_bzero(memory, malloc_usable_size(memory));
  free(memory);
}

static inline void cjansson_use_wiping_allocator(void) { json_set_alloc_funcs(malloc, cjansson_wipe_and_free); }
