// libyaml. Configuration is its only importer.
#pragma once
#include <yaml.h>
