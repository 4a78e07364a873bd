// Processes to measure, and the socket that they take for a controller.
#define _GNU_SOURCE  // accept4, pipe2, sched_setaffinity, vfork
#include "CBenchmark.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

pid_t cbenchmark_start(char *const arguments[], int *output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  // Not fork: a copy of a large program's page tables would be measured, too. Not posix_spawn: it can't ask for the signal.
  pid_t process = nothing < 0 ? -1 : vfork();
  if (process == 0) {
    // However this program ends, what it started ends with it.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (dup2(nothing, 0) == 0 && dup2(ends[1], 1) == 1 && dup2(ends[1], 2) == 2) execve(arguments[0], arguments, environ);
    _exit(127);
  }
  int error = errno;
  if (nothing >= 0) close(nothing);
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    errno = error;
    return -1;
  }
  *output = ends[0];
  return process;
}

int cbenchmark_end(pid_t process, int signal) {
  int status = 0;
  if (signal != 0) kill(process, signal);
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void cbenchmark_signal(pid_t process, int signal) { kill(process, signal); }

double cbenchmark_processor_seconds(pid_t process) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

size_t cbenchmark_resident_of(pid_t process) {
  char path[64];
  unsigned long size = 0, resident = 0;
  snprintf(path, sizeof path, "/proc/%ld/statm", (long)process);
  FILE *file = fopen(path, "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%lu %lu", &size, &resident) != 2) resident = 0;
  fclose(file);
  return resident * (size_t)sysconf(_SC_PAGESIZE);
}

// What this program was allowed to run on when it began.
static cpu_set_t processors;

__attribute__((constructor)) static void note_processors(void) {
  CPU_ZERO(&processors);
  sched_getaffinity(0, sizeof processors, &processors);
}

int cbenchmark_processors(void) { return CPU_COUNT(&processors); }

int cbenchmark_pin(int index) {
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  for (int processor = 0; processor < CPU_SETSIZE; processor++) {
    if (CPU_ISSET(processor, &processors) && index-- == 0) CPU_SET(processor, &chosen);
  }
  return sched_setaffinity(0, sizeof chosen, &chosen);
}

static int close_failed(int descriptor) {
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

int cbenchmark_listen(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address.sun_path, path);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return -1;
  if (bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 4) == 0) return listener;
  return close_failed(listener);
}

int cbenchmark_accept(int listener) {
  int connection;
  do {
    connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  } while (connection < 0 && errno == EINTR);
  return connection;
}

int cbenchmark_listen_tcp(uint16_t *port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return -1;
  if (bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 4) == 0 &&
      getsockname(listener, (struct sockaddr *)&address, &size) == 0) {
    *port = ntohs(address.sin_port);
    return listener;
  }
  return close_failed(listener);
}

int cbenchmark_connect_tcp(uint16_t port) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return -1;
  if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) return close_failed(connection);
  return connection;
}

void cbenchmark_hurry(int connection) {
  int on = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(connection, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

int cbenchmark_write(int connection, const void *bytes, size_t count) {
  const char *rest = bytes;
  while (count > 0) {
    ssize_t sent = send(connection, rest, count, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return -1;
    if (sent <= 0) continue;
    rest += sent;
    count -= (size_t)sent;
  }
  return 0;
}

ssize_t cbenchmark_read(int connection, void *bytes, size_t count) {
  ssize_t got;
  do {
    got = recv(connection, bytes, count, 0);
  } while (got < 0 && errno == EINTR);
  return got;
}

void cbenchmark_close(int connection) { close(connection); }

void cbenchmark_sleep_until(uint64_t nanoseconds) {
  struct timespec time = {.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
  while (clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &time, NULL) == EINTR) {
  }
}

double cbenchmark_durable_write(const char *path) {
  static const char page[4096];
  struct timespec start, end;
  clock_gettime(CLOCK_BOOTTIME, &start);
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  if (write(file, page, sizeof page) != (ssize_t)sizeof page || fsync(file) != 0) return close_failed(file);
  close(file);
  clock_gettime(CLOCK_BOOTTIME, &end);
  return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
}
