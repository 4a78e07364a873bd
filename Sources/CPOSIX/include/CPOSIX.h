// System calls and macros of Linux that Swift's Glibc module doesn't import: variadics, function-like macros.
// POSIX is its only importer.
#pragma once
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static inline int cposix_open(const char *path, int flags, unsigned mode) { return open(path, flags, mode); }
static inline int cposix_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
static inline int cposix_wifexited(int status) { return WIFEXITED(status); }
static inline int cposix_wexitstatus(int status) { return WEXITSTATUS(status); }
static inline int cposix_wtermsig(int status) { return WTERMSIG(status); }
static inline int cposix_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }
