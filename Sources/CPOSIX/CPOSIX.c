#define _GNU_SOURCE  // accept4, struct ucred, pipe2, execvpe, posix_spawn_file_actions_addchdir_np, sigabbrev_np
#include "CPOSIX.h"
#include <errno.h>
#include <grp.h>
#include <string.h>
#include <sys/socket.h>

// Between vfork and exec the child borrows this memory: nothing but system calls, and no return.
static void become(const struct cposix_program *program, pid_t bound_to, int report) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigset_t none;
  int input = program->input >= 0 ? program->input : open("/dev/null", O_RDONLY | O_CLOEXEC);
  sigemptyset(&none);
  // The parent may have ended before the kernel knew that this one is to end with it.
  if (input >= 0 && setpgid(0, 0) == 0 && dup2(input, 0) == 0 && dup2(program->output, 1) == 1 &&
      dup2(program->errors, 2) == 2 && (program->directory == NULL || chdir(program->directory) == 0) &&
      (bound_to == 0 || (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid() == bound_to))) {
    for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &action, NULL);
    // What whoever started this process left open isn't for its programs. `report` closes by itself, too.
    syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvpe(program->arguments[0], program->arguments, program->environment);
  }
  int failure = errno;
  (void)!write(report, &failure, sizeof failure);
  _exit(127);
}

pid_t cposix_start(const struct cposix_program *program) {
  int ends[2], failure = 0;
  sigset_t all, before;
  if (pipe2(ends, O_CLOEXEC) < 0) return -1;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = program->ends_with_parent ? getpid() : 0;
  pid_t child = vfork();
  if (child == 0) become(program, parent, ends[1]);
  int saved = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(ends[1]);
  // The pipe ends without a word when the program runs.
  ssize_t count = child < 0 ? 0 : TEMP_FAILURE_RETRY(read(ends[0], &failure, sizeof failure));
  close(ends[0]);
  if (child >= 0 && count != (ssize_t)sizeof failure) return child;
  if (child >= 0) TEMP_FAILURE_RETRY(waitpid(child, NULL, 0));
  errno = child < 0 ? saved : failure;
  return -1;
}

int cposix_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int cposix_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int cposix_peer_user(int socket, unsigned *user) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  int result = getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size);
  if (result == 0) *user = peer.uid;
  return result;
}

int cposix_become(unsigned user) {
  return setgroups(0, NULL) == 0 && setresgid(user, user, user) == 0 ? setresuid(user, user, user) : -1;
}

int cposix_spawn_in_directory(posix_spawn_file_actions_t *actions, const char *path) {
  return posix_spawn_file_actions_addchdir_np(actions, path);
}

const char *cposix_signal_name(int signal) { return sigabbrev_np(signal); }
