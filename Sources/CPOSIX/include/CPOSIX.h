// System calls and macros of Linux that Swift's Glibc module doesn't import: variadics, function-like macros.
// POSIX is its only importer.
#pragma once
#include <fcntl.h>
#include <linux/capability.h>
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

// Closes every descriptor from `first` on (close_range(2)).
static inline int cposix_close_from(unsigned first) { return (int)syscall(SYS_close_range, first, ~0u, 0u); }
// No program that this process starts gets rights that it lacks, and none but root looks into it.
static inline int cposix_keep_to_own_rights(void) {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) : -1;
}
// What programs that this one starts would inherit of its capabilities: nothing.
static inline int cposix_clear_ambient_capabilities(void) {
  return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}
// Gives up every capability, ambient ones too (capset(2), which has no wrapper).
static inline int cposix_drop_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  if (cposix_clear_ambient_capabilities() != 0) return -1;
  return (int)syscall(SYS_capset, &header, none);
}

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
int cposix_become(unsigned user);                    // user, group and no others, real, effective and saved
int cposix_spawn_in_directory(posix_spawn_file_actions_t *actions, const char *path);
// A program to be started, in a process group of its own.
struct cposix_program {
  char *const *arguments;    // the program, looked up in this process's PATH where it has no slash, and what it is given
  char *const *environment;  // all of it
  const char *directory;     // where it begins; null: where this process is
  int input;                 // a descriptor; negative: /dev/null
  int output, errors;        // descriptors
  int ends_with_parent;      // whether the kernel kills it when the calling thread ends, however that comes about
};
// Starts it, with signals as at the start of a program (posix_spawn(3) can't bind it to its parent). Answers its number, or
// -1 with errno where it couldn't be started.
pid_t cposix_start(const struct cposix_program *program);
const char *cposix_signal_name(int signal);  // "TERM"; null for an unknown one
