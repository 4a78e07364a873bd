// What Swift has no words for in the benchmarks: allocations, memory, processes, a listening socket. Not in the product.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// How often this thread has asked for memory: malloc, calloc, realloc, aligned_alloc, memalign, posix_memalign.
unsigned long cbenchmark_allocations(void);

// Bytes of the process that are in memory now (statm(5)), after malloc has given back what it can.
size_t cbenchmark_resident(void);

// Starts a program (a path) with these arguments, NULL behind the last; `output` is where to read what it writes.
// -1 and errno on failure.
pid_t cbenchmark_start(char *const arguments[], int *output);

// Sends the signal unless it is 0, and waits for the process's end: its exit code, or 128 + the signal that ended it.
int cbenchmark_end(pid_t process, int signal);

// Listens on a Unix socket; -1 and errno on failure.
int cbenchmark_listen(const char *path);

// Waits for a connection; -1 and errno on failure, as when the listener was shut down.
int cbenchmark_accept(int listener);
