// Watches the output register of the guest's GPIO chip and writes a line for each change: edges ADDRESS
// "NANOSECONDS VALUE MILLISECONDS": the moment by CLOCK_BOOTTIME, the register in hexadecimal, the moment by the wall clock. The first
// line is how it stands now.
// It looks every 200 microseconds, and writes at the end how long it once didn't look.
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ended;
static void end(int signal) { ended = signal; }

static uint64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  off_t address = (off_t)strtoull(arguments[1], NULL, 0);
  int memory = open("/dev/mem", O_RDONLY | O_SYNC);
  if (memory < 0) return perror("/dev/mem"), 1;
  volatile uint32_t *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, memory, address & ~0xFFFL);
  if (page == MAP_FAILED) return perror("mmap"), 1;
  volatile uint32_t *output = page + (address & 0xFFF) / 4;
  signal(SIGTERM, end);
  setvbuf(stdout, NULL, _IOLBF, 0);
  uint32_t last = ~*output;
  uint64_t gap = 0, looked = now(CLOCK_BOOTTIME);
  while (!ended) {
    uint32_t value = *output;
    uint64_t moment = now(CLOCK_BOOTTIME);
    if (moment - looked > gap) gap = moment - looked;
    looked = moment;
    if (value != last) printf("%" PRIu64 " %02" PRIx32 " %" PRIu64 "\n", moment, value, now(CLOCK_REALTIME) / 1000000);
    last = value;
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
  }
  printf("gap %" PRIu64 "\n", gap);
  return 0;
}
