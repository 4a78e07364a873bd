// What Swift has no words for in the benchmarks: allocations, memory, processes, a listening socket. Not in the product.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// How often this thread has asked for memory: malloc, calloc, realloc, aligned_alloc, memalign, posix_memalign.
unsigned long cbenchmark_allocations(void);

// Begins to count how often all threads ask for memory; ends it, and says how often they did.
void cbenchmark_count_all(void);
unsigned long cbenchmark_counted(void);

// Bytes of the process that are in memory now (statm(5)), after malloc has given back what it can.
size_t cbenchmark_resident(void);

// Starts a program (a path) with these arguments, NULL behind the last; `output` is where to read what it writes.
// -1 and errno on failure.
pid_t cbenchmark_start(char *const arguments[], int *output);

// Sends the signal unless it is 0, and waits for the process's end: its exit code, or 128 + the signal that ended it.
int cbenchmark_end(pid_t process, int signal);

// Sends a signal.
void cbenchmark_signal(pid_t process, int signal);

// Seconds of processor time that a process has used so far; 0 where it is gone.
double cbenchmark_processor_seconds(pid_t process);

// Bytes of another process that are in memory now (statm(5)); 0 where it is gone.
size_t cbenchmark_resident_of(pid_t process);

// How many processors this program may run on.
int cbenchmark_processors(void);

// Lets the calling thread, and the threads and processes that it makes from now on, run on one of these processors only,
// counted from 0; -1 and errno on failure.
int cbenchmark_pin(int index);

// Listens on a Unix socket; -1 and errno on failure.
int cbenchmark_listen(const char *path);

// Listens on a free TCP port of this machine, which is stored in `port`; -1 and errno on failure.
int cbenchmark_listen_tcp(uint16_t *port);

// Connects to a TCP port of this machine; -1 and errno on failure.
int cbenchmark_connect_tcp(uint16_t port);

// Lets what is written to a TCP connection leave at once, and what has come be acknowledged at once; the latter holds until
// the next read (tcp(7)).
void cbenchmark_hurry(int connection);

// Seconds of what a durable write costs: a page into a file of that name, and fsync(2); -1 and errno on failure.
double cbenchmark_durable_write(const char *path);

// Waits for a connection; -1 and errno on failure, as when the listener was shut down.
int cbenchmark_accept(int listener);

// Writes all bytes to a socket, waiting where it is full; -1 and errno on failure, and never a signal.
int cbenchmark_write(int connection, const void *bytes, size_t count);

// Reads what there is, waiting for it; 0 at the end, -1 and errno on failure.
ssize_t cbenchmark_read(int connection, void *bytes, size_t count);

void cbenchmark_close(int connection);

// Sleeps until a moment of CLOCK_BOOTTIME.
void cbenchmark_sleep_until(uint64_t nanoseconds);
