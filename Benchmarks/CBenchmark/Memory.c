// An executable's own malloc takes the place of the C library's for all libraries; these count and hand on.
#include "CBenchmark.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static __thread unsigned long calls __attribute__((tls_model("initial-exec")));
// Of all threads, while somebody wants to know: an atomic count costs time that others measure.
static atomic_bool counting;
static atomic_ulong all_calls;

static inline void count_call(void) {
  calls++;
  if (atomic_load_explicit(&counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&all_calls, 1, memory_order_relaxed);
  }
}

void *malloc(size_t size) {
  count_call();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  count_call();
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  count_call();
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  count_call();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *memory = memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

unsigned long cbenchmark_allocations(void) { return calls; }

void cbenchmark_count_all(void) {
  atomic_store(&all_calls, 0);
  atomic_store(&counting, true);
}

unsigned long cbenchmark_counted(void) {
  atomic_store(&counting, false);
  return atomic_load(&all_calls);
}

size_t cbenchmark_resident(void) {
  malloc_trim(0);
  unsigned long size = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%lu %lu", &size, &resident) != 2) resident = 0;
  fclose(file);
  return resident * (size_t)sysconf(_SC_PAGESIZE);
}
