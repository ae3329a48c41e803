// exthost_memfd: sealed anonymous files, by memfd_create(2) and the F_SEAL calls of fcntl(2), which are variadic.

#ifndef EXTHOST_MEMFD_H
#define EXTHOST_MEMFD_H

enum { EXTHOST_SEAL_SEAL = 0x1, EXTHOST_SEAL_SHRINK = 0x2, EXTHOST_SEAL_GROW = 0x4, EXTHOST_SEAL_WRITE = 0x8 };

/// Creates a close-on-exec memfd that allows seals. From Linux 6.3 on it can never be executed. Returns a descriptor or
/// a negative errno.
int exthost_memfd_create(const char *name);

/// Adds seals. Returns 0 or a negative errno.
int exthost_add_seals(int descriptor, int seals);

/// Returns the seals of a file, or a negative errno: -EINVAL for a file that cannot have seals.
int exthost_get_seals(int descriptor);

/// Returns 1 for a memfd in huge pages (MFD_HUGETLB), 0 for any other file, or a negative errno.
int exthost_has_huge_pages(int descriptor);

#endif
