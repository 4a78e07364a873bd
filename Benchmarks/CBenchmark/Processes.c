// Processes to measure, and the socket that they take for a controller.
#define _GNU_SOURCE  // accept4, pipe2
#include "CBenchmark.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

pid_t cbenchmark_start(char *const arguments[], int *output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  pid_t process = -1;
  int error = posix_spawn_file_actions_init(&actions);
  if (error == 0) {
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    if (error == 0) error = posix_spawn(&process, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
  }
  close(ends[1]);
  if (error != 0) {
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
  int error = errno;
  close(listener);
  errno = error;
  return -1;
}

int cbenchmark_accept(int listener) {
  int connection;
  do {
    connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  } while (connection < 0 && errno == EINTR);
  return connection;
}
