// system_call_filter: the parts of a BPF program that every filter of system calls here needs (seccomp(2)).

#ifndef EXTHOST_SYSTEM_CALL_FILTER_H
#define EXTHOST_SYSTEM_CALL_FILTER_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

/// The processor's convention of calls; 0: there is no filter for it.
#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE 0
#endif

/// Loads a member of the call's description.
#define LOAD(place) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, place))

/// Loads the number of the call. With another convention of calls, every call has another number: it ends the process.
#define LOAD_CALL                                                                                                      \
    LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),                                               \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), LOAD(nr)

#endif
