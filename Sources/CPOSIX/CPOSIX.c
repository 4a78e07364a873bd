#define _GNU_SOURCE  // pipe2, posix_spawn_file_actions_addchdir_np, sigabbrev_np
#include "CPOSIX.h"
#include <string.h>

int cposix_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int cposix_spawn_in_directory(posix_spawn_file_actions_t *actions, const char *path) {
  return posix_spawn_file_actions_addchdir_np(actions, path);
}

const char *cposix_signal_name(int signal) { return sigabbrev_np(signal); }
