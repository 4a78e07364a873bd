// System calls and macros of Linux that Swift's Glibc module doesn't import: variadics, function-like macros.
// POSIX is its only importer.
#pragma once
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <unistd.h>

static inline int cposix_open(const char *path, int flags, unsigned mode) { return open(path, flags, mode); }
static inline int cposix_ioctl(int fd, unsigned long request, void *argument) { return ioctl(fd, request, argument); }
static inline int cposix_ioctl_number(int fd, unsigned long request, unsigned long argument) {
  return ioctl(fd, request, argument);
}
static inline int cposix_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
static inline int cposix_wifexited(int status) { return WIFEXITED(status); }
static inline int cposix_wexitstatus(int status) { return WEXITSTATUS(status); }
static inline int cposix_wtermsig(int status) { return WTERMSIG(status); }
static inline int cposix_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }
static inline int cposix_rename_without_replacing(const char *from, const char *to) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1u /* RENAME_NOREPLACE */);
}
static inline int cposix_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0u); }

// What the kernel says of the wall clock, without changing it (adjtimex(2), modes 0); the struct has unnamed bit fields,
// which Swift doesn't see. The answer is the clock's state (TIME_OK … TIME_ERROR) or -1.
static inline int cposix_clock_state(int *status, long *maximum_error_us, long *estimated_error_us) {
  struct timex clock = {.modes = 0};
  int state = adjtimex(&clock);
  *status = clock.status;
  *maximum_error_us = clock.maxerror;
  *estimated_error_us = clock.esterror;
  return state;
}

// Compiled in CPOSIX.c: they need _GNU_SOURCE, which Swift's importer doesn't set.
int cposix_pipe(int ends[2]);
int cposix_accept(int listener);                     // non-blocking, close-on-exec
int cposix_peer_user(int socket, unsigned *user);    // SO_PEERCRED of socket(7)
int cposix_spawn_in_directory(posix_spawn_file_actions_t *actions, const char *path);
// Starts a program in a process group of its own: standard input is /dev/null, standard output goes to standard error,
// signals are as at the start of a program. With ends_with_parent the kernel kills it when the calling thread ends, however
// that comes about (posix_spawn(3) can't ask for that). Answers its number, or -1 with errno where it couldn't be started.
pid_t cposix_start(const char *program, char *const arguments[], char *const environment[], int ends_with_parent);
const char *cposix_signal_name(int signal);  // "TERM"; null for an unknown one
