// Jansson. Statics only for macros and variadics that Swift can't import; JSON is its only importer.
#pragma once
#include <jansson.h>
