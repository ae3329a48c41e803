// host_mark: the ELF note that marks a program as a host application, which extensions must not be (elf(5);
// docs/lint.md, “Links”).
//
// The note has the owner “exthost” and type 1; its text names the kit. A statically linked kit leaves no name in a
// program, but a note stays: linkers gather notes in a segment, and stripping leaves it.

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
