// Sealed anonymous files: memfd_create(2) and the F_SEAL calls of fcntl(2), which are variadic.

#ifndef EXTHOST_MEMFD_H
#define EXTHOST_MEMFD_H

enum { EXTHOST_SEAL_SEAL = 0x1, EXTHOST_SEAL_SHRINK = 0x2, EXTHOST_SEAL_GROW = 0x4, EXTHOST_SEAL_WRITE = 0x8 };

/// A new close-on-exec memfd that can be sealed and, where the kernel knows how (6.3), never executed; or a negative
/// errno.
int exthost_memfd_create(const char *name);

/// Adds seals; 0 or a negative errno.
int exthost_add_seals(int descriptor, int seals);

/// The seals of a file, or a negative errno (-EINVAL for a file that cannot have any).
int exthost_get_seals(int descriptor);

/// 1 for a memfd in huge pages (MFD_HUGETLB), else 0, or a negative errno.
int exthost_has_huge_pages(int descriptor);

#endif
