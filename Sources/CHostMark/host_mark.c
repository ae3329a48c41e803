// host_mark: a note of the owner “exthost”, type 1, whose text names what is not for extensions (elf(5); docs/lint.md,
// “Links”).
//
// A kit that is linked statically leaves no name in a program. A note does: linkers gather notes in a segment, and
// stripping leaves it.

#include "host_mark.h"

#include <stdint.h>

struct note {
    uint32_t name_size;
    uint32_t text_size;
    uint32_t type;
    char name[8];
    char text[16];
};

__attribute__((section(".note.exthost"), used, aligned(4))) static const struct note host_only = {
    sizeof "exthost", sizeof "ExtensionHost", 1, "exthost", "ExtensionHost"};

const void *exthost_host_mark(void) { return &host_only; }
