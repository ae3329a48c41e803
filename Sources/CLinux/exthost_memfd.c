// exthost_memfd: sealed anonymous files.

#define _GNU_SOURCE
#include "exthost_memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>

// Linux 6.3. Debian 12's headers lack it.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

_Static_assert(EXTHOST_SEAL_SEAL == F_SEAL_SEAL && EXTHOST_SEAL_SHRINK == F_SEAL_SHRINK, "fcntl(2)");
_Static_assert(EXTHOST_SEAL_GROW == F_SEAL_GROW && EXTHOST_SEAL_WRITE == F_SEAL_WRITE, "fcntl(2)");

int exthost_memfd_create(const char *name) {
    unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int descriptor = memfd_create(name, flags | MFD_NOEXEC_SEAL);
    if (descriptor < 0 && errno == EINVAL) descriptor = memfd_create(name, flags);
    return descriptor < 0 ? -errno : descriptor;
}

int exthost_add_seals(int descriptor, int seals) { return fcntl(descriptor, F_ADD_SEALS, seals) < 0 ? -errno : 0; }

int exthost_has_huge_pages(int descriptor) {
    struct statfs place;
    if (fstatfs(descriptor, &place) < 0) return -errno;
    return place.f_type == HUGETLBFS_MAGIC;
}

int exthost_get_seals(int descriptor) {
    int seals = fcntl(descriptor, F_GET_SEALS);
    return seals < 0 ? -errno : seals;
}
