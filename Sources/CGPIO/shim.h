// libgpiod 1 (Debian 12). GPIO is its only importer.
#pragma once
#include <gpiod.h>

// Combinations of an enumeration, which Swift would import as a type of its own.
enum {
  cgpio_active_low = GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW,
  cgpio_bias_disabled = GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE,
  cgpio_pull_up = GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP,
  cgpio_pull_down = GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN,
};
