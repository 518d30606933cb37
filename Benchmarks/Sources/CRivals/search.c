#define _GNU_SOURCE
#include "CRivals.h"

#include <string.h>

long rival_search(const void *bytes, size_t count, const void *needle, size_t length, long times) {
  const char *found = NULL;
  for (long i = 0; i < times; i++) {
    found = length == 1 ? memchr(bytes, *(const unsigned char *)needle, count)
                        : memmem(bytes, count, needle, length);
    __asm__ volatile("" : : "r"(found) : "memory");
  }
  return found == NULL ? -1 : found - (const char *)bytes;
}
