// Counts the allocations of the calling thread, and asks for the process's memory. For benchmarks only.
#pragma once
#include <stddef.h>

// How often this thread has asked for memory: malloc, calloc, realloc, aligned_alloc, memalign, posix_memalign.
unsigned long cmalloccount_calls(void);

// Bytes of the process that are in memory now (statm(5)), after malloc has given back what it can.
size_t cmalloccount_resident(void);
