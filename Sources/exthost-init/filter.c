// filter: the list of refused system calls, and the BPF program that the kernel runs at each call.
//
// The filter allows the calls that most programs need: Swift with Foundation and Dispatch works. It refuses calls that
// affect the kernel itself or other processes. Calls newer than this list return ENOSYS, as on an older kernel.
//
// The filter sees numbers, and cannot follow pointers. Rules that depend on a path belong to the view or to Landlock.

#define _GNU_SOURCE
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system_call_filter.h"

// Linux 6.17. From 424 on both processors have the same numbers. Older headers have no names for these calls.
enum { LAST_KNOWN_CALL = 469 };
#define NUMBER_clone3 435
#define NUMBER_openat2 437
#define NUMBER_process_madvise 440
#define NUMBER_mount_setattr 442
#define NUMBER_quotactl_fd 443
#define NUMBER_process_mrelease 448
#define NUMBER_fchmodat2 452
#define NUMBER_setxattrat 463
#define NUMBER_removexattrat 466
#define NUMBER_open_tree_attr 467
#define NUMBER_file_setattr 469

struct call {
    int number;
    const char *name;
};
#define CALL(name) {SYS_##name, #name}
#define YOUNG(name) {NUMBER_##name, #name}

// Some headers lack these.
enum {
    SEND_BY_FAST_OPEN = 0x20000000,
    CONNECT_BY_FAST_OPEN = 30,
    UPPER_PROTOCOL = 31,
    SET_PIPE_SIZE = 1031,
    MAKE_LEASE = 1024,
    MAKE_DELEGATION = 1040,
};

// These are always refused.
// clang-format off: tables
static const struct call refused[] = {
    // Tracing: access to another process's memory, descriptors and timing.
    CALL(ptrace), CALL(process_vm_readv), CALL(process_vm_writev), CALL(kcmp), CALL(pidfd_getfd), CALL(perf_event_open),
    YOUNG(process_madvise), YOUNG(process_mrelease),
    // Mounts and roots.
    CALL(mount), CALL(umount2), CALL(pivot_root), CALL(chroot), CALL(move_mount), CALL(open_tree), CALL(fsopen), CALL(fsconfig),
    CALL(fsmount), CALL(fspick), YOUNG(mount_setattr), YOUNG(open_tree_attr), CALL(swapon), CALL(swapoff), CALL(quotactl),
    YOUNG(quotactl_fd), CALL(name_to_handle_at), CALL(open_by_handle_at), CALL(fanotify_init), CALL(fanotify_mark),
    CALL(setns),
    // Keyrings, which belong to the user and not to the process.
    CALL(add_key), CALL(request_key), CALL(keyctl),
    // Large parts of the kernel that are often attacked.
    CALL(bpf), CALL(userfaultfd), CALL(io_uring_setup), CALL(io_uring_enter), CALL(io_uring_register),
    // The kernel counts events of asynchronous I/O for the whole machine (fs.aio-max-nr), so one program could take
    // all.
    CALL(io_setup), CALL(io_destroy), CALL(io_submit), CALL(io_cancel), CALL(io_getevents), CALL(io_pgetevents),
    // The kernel itself, its clock and its host names.
    CALL(init_module), CALL(finit_module), CALL(delete_module), CALL(kexec_load), CALL(kexec_file_load), CALL(reboot), CALL(syslog),
    CALL(acct), CALL(settimeofday), CALL(clock_settime), CALL(clock_adjtime), CALL(adjtimex), CALL(sethostname),
    CALL(setdomainname), CALL(vhangup), CALL(lookup_dcookie), CALL(nfsservctl),
#if defined(__x86_64__)
    CALL(iopl), CALL(ioperm), CALL(modify_ldt), CALL(uselib), CALL(ustat), CALL(sysfs), CALL(_sysctl), CALL(create_module),
    CALL(get_kernel_syms), CALL(query_module),
#endif
};

// These are refused without a view. They change files by paths that Landlock does not check, or reach objects of all
// the user's processes.
static const struct call refused_without_view[] = {
    CALL(fchmodat), CALL(fchownat), CALL(setxattr), CALL(lsetxattr), CALL(fsetxattr), CALL(removexattr),
    CALL(lremovexattr), CALL(fremovexattr), YOUNG(fchmodat2), YOUNG(setxattrat), YOUNG(removexattrat),
    YOUNG(file_setattr), CALL(shmget), CALL(shmat), CALL(shmctl), CALL(semget),
    CALL(semop), CALL(semtimedop), CALL(semctl), CALL(msgget), CALL(msgsnd), CALL(msgrcv), CALL(msgctl), CALL(mq_open),
    CALL(mq_unlink), CALL(ioprio_set), CALL(migrate_pages), CALL(move_pages),
#if defined(__x86_64__)
    CALL(chmod), CALL(chown), CALL(lchown), CALL(utime), CALL(utimes), CALL(futimesat),
#endif
};

// These are refused depending on their arguments.
static const struct call conditional[] = {
    CALL(socket), CALL(socketpair), CALL(clone), CALL(unshare), CALL(setpriority), CALL(ioctl), CALL(personality), CALL(prlimit64),
    CALL(sched_setscheduler), CALL(sched_setparam), CALL(sched_setattr), CALL(sched_setaffinity), CALL(sendto), CALL(sendmsg),
    CALL(sendmmsg), CALL(truncate),
};

// The init performs these calls for the caller, on a copy of the descriptor, if the file allows it; else it refuses
// them.
static const struct call performed[] = {CALL(fchmod), CALL(fchown), CALL(utimensat), CALL(listen)};

// The listener counts these if the kernel does not count them in a user namespace of the program's own.
static const struct call counted[] = {
#if defined(__x86_64__)
    CALL(inotify_init),
#endif
    CALL(inotify_init1),
};

// These are only reported, if the policy reports refused paths.
static const struct call lookups[] = {
#if defined(__x86_64__)
    CALL(open), CALL(stat), CALL(lstat), CALL(access), CALL(readlink), CALL(creat),
#endif
    CALL(openat), CALL(newfstatat), CALL(statx), CALL(faccessat), CALL(readlinkat),
    {439, "faccessat2"},
};

// These are only reported, if Landlock refuses them: the direction of TCP that the entitlements do not grant.
static const struct call connections[] = {CALL(connect), CALL(bind)};
// clang-format on

enum { COUNT_REFUSED = sizeof refused / sizeof *refused };
enum { COUNT_WITHOUT_VIEW = sizeof refused_without_view / sizeof *refused_without_view };
enum { COUNT_CONDITIONAL = sizeof conditional / sizeof *conditional };
enum { COUNT_PERFORMED = sizeof performed / sizeof *performed };
enum { COUNT_COUNTED = sizeof counted / sizeof *counted };
enum { COUNT_LOOKUPS = sizeof lookups / sizeof *lookups };
enum { COUNT_CONNECTIONS = sizeof connections / sizeof *connections };

bool has_filter(void) { return ARCHITECTURE != 0; }

static const char *find(const struct call *calls, int count, int number) {
    for (int i = 0; i < count; i++)
        if (calls[i].number == number) return calls[i].name;
    return NULL;
}

const char *name_of_call(int number) {
    const char *name = find(refused, COUNT_REFUSED, number);
    if (!name) name = find(refused_without_view, COUNT_WITHOUT_VIEW, number);
    if (!name) name = find(conditional, COUNT_CONDITIONAL, number);
    if (!name) name = find(performed, COUNT_PERFORMED, number);
    if (!name) name = find(lookups, COUNT_LOOKUPS, number);
    return name ? name : find(connections, COUNT_CONNECTIONS, number);
}

bool is_performed(int number) { return find(performed, COUNT_PERFORMED, number) != NULL; }

bool is_counted(int number) { return find(counted, COUNT_COUNTED, number) != NULL; }

bool is_connection(int number) { return find(connections, COUNT_CONNECTIONS, number) != NULL; }

// Whether the program may use one direction of TCP, and Landlock refuses the other.
static bool has_one_direction(const struct policy *policy) {
    bool tells_apart = policy->has_landlock && policy->landlock_version >= 4;
    return tells_apart && policy->has_network && policy->is_client != policy->is_server;
}

bool is_path_lookup(int number, bool *is_at) {
    *is_at = true;
#if defined(__x86_64__)
    *is_at = !(number == SYS_open || number == SYS_stat || number == SYS_lstat || number == SYS_access
        || number == SYS_readlink || number == SYS_creat);
#endif
    return find(lookups, COUNT_LOOKUPS, number) != NULL;
}

// The steps of the filter. Each block for a call overwrites the loaded call number with an argument, so every path
// through a block ends in an answer.

struct writer {
    struct filter *filter;
    uint32_t refusal;  // the listener's answer, if there is one
    bool has_listener;
    int count;
};

static void add(struct writer *writer, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
    writer->filter->steps[writer->count++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(struct writer *writer, uint32_t offset) { add(writer, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
// Loads the lower half of an argument, which holds a whole int: both processors are little-endian.
static void load_argument(struct writer *writer, int index) {
    load(writer, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)index));
}
static void answer(struct writer *writer, uint32_t value) { add(writer, BPF_RET | BPF_K, value, 0, 0); }
static void allow(struct writer *writer) { answer(writer, SECCOMP_RET_ALLOW); }
static void refuse(struct writer *writer) { answer(writer, writer->refusal); }
// Returns an errno that programs already handle, so a notice would not help the author.
static void fail(struct writer *writer, uint32_t code) { answer(writer, SECCOMP_RET_ERRNO | code); }
static void if_equal(struct writer *writer, uint32_t value, uint8_t if_true, uint8_t if_false) {
    add(writer, BPF_JMP | BPF_JEQ | BPF_K, value, if_true, if_false);
}

// Writes a block that runs only for one call number.
static void block(struct writer *writer, int number, void (*write)(struct writer *, const struct policy *),
    const struct policy *policy) {
    int jump = writer->count;
    if_equal(writer, (uint32_t)number, 0, 0);
    write(writer, policy);
    writer->filter->steps[jump].jf = (uint8_t)(writer->count - jump - 1);
}

static void write_refusal(struct writer *writer, const struct policy *policy) {
    (void)policy;
    refuse(writer);
}

static void write_absence(struct writer *writer, const struct policy *policy) {
    (void)policy;
    answer(writer, SECCOMP_RET_ERRNO | ENOSYS);
}

// Allows two types of sockets of one family, and refuses its others. The accumulator holds the family. Another family
// continues after this block.
static void family_of_types(struct writer *writer, int family, int type, int other_type) {
    if_equal(writer, (uint32_t)family, 0, 6);
    load_argument(writer, 1);
    add(writer, BPF_ALU | BPF_AND | BPF_K, 0xf, 0, 0);  // masks SOCK_CLOEXEC and SOCK_NONBLOCK out
    if_equal(writer, (uint32_t)type, 1, 0);
    if_equal(writer, (uint32_t)other_type, 0, 1);
    allow(writer);
    refuse(writer);
}

// Allows TCP and UDP sockets of one Internet family, and no other protocol. Landlock knows only TCP, and other
// protocols reach the same ports (MPTCP, SMC, SCTP).
static void family_of_protocols(struct writer *writer, int family, bool has_streams) {
    int jump = writer->count;
    if_equal(writer, (uint32_t)family, 0, 0);
    load_argument(writer, 1);
    add(writer, BPF_ALU | BPF_AND | BPF_K, 0xf, 0, 0);
    if (has_streams) {
        if_equal(writer, SOCK_STREAM, 0, 4);
        load_argument(writer, 2);
        if_equal(writer, 0, 7, 0);
        if_equal(writer, IPPROTO_TCP, 6, 0);
        fail(writer, EPROTONOSUPPORT);
    }
    if_equal(writer, SOCK_DGRAM, 0, 5);
    load_argument(writer, 2);
    if_equal(writer, 0, 2, 0);
    if_equal(writer, IPPROTO_UDP, 1, 0);
    fail(writer, EPROTONOSUPPORT);
    allow(writer);
    refuse(writer);
    writer->filter->steps[jump].jf = (uint8_t)(writer->count - jump - 1);
}

// Whether other programs' sockets are unreachable. Without a view their paths are visible. With the host's network
// their abstract names are visible too, unless Landlock blocks them.
static bool hides_sockets(const struct policy *policy) {
    return policy->has_namespaces && (!policy->has_network || (policy->has_landlock && policy->landlock_version >= 6));
}

// Filters socket(2). A datagram socket can send to any path or name without a connect; a raw socket can send anything
// to anyone. If other programs' sockets are reachable, the program cannot create one, and has only the one it was
// given.
static void write_socket(struct writer *writer, const struct policy *policy) {
    load_argument(writer, 0);
    if (hides_sockets(policy)) family_of_types(writer, AF_UNIX, SOCK_STREAM, SOCK_SEQPACKET);
    if (policy->has_namespaces && !policy->has_network) {
        // The program's own network isolates these sockets. Foundation wakes a thread by two connected ones, and
        // Process hangs without them (observed).
        family_of_protocols(writer, AF_INET, false);
        family_of_protocols(writer, AF_INET6, false);
    }
    if (policy->has_network) {
        family_of_protocols(writer, AF_INET, true);
        family_of_protocols(writer, AF_INET6, true);
        // getaddrinfo(3) reads the addresses of this machine's interfaces. Protocol 0 is NETLINK_ROUTE.
        if_equal(writer, AF_NETLINK, 0, 3);
        load_argument(writer, 2);
        if_equal(writer, 0, 0, 1);
        allow(writer);
    }
    refuse(writer);
}

// Filters socketpair(2): one end of a datagram pair can also send to any path.
static void write_socketpair(struct writer *writer, const struct policy *policy) {
    (void)policy;
    load_argument(writer, 0);
    family_of_types(writer, AF_UNIX, SOCK_STREAM, SOCK_SEQPACKET);
    refuse(writer);
}

// Refuses TCP connections made by sending (fast open), because Landlock checks only connect(2).
static void write_sending(struct writer *writer, int flags) {
    load_argument(writer, flags);
    add(writer, BPF_JMP | BPF_JSET | BPF_K, SEND_BY_FAST_OPEN, 0, 1);
    refuse(writer);
    allow(writer);
}
static void write_sendmsg(struct writer *writer, const struct policy *policy) {
    (void)policy;
    write_sending(writer, 2);
}
static void write_sendto(struct writer *writer, const struct policy *policy) {
    (void)policy;
    write_sending(writer, 3);
}

// Filters setsockopt(2): options that turn a TCP socket into another kind (such as SMC), or connect it by a call that
// Landlock does not check.
static void write_setsockopt(struct writer *writer, const struct policy *policy) {
    if (has_one_direction(policy)) {
        load_argument(writer, 1);
        if_equal(writer, IPPROTO_TCP, 0, 4);
        load_argument(writer, 2);
        if_equal(writer, UPPER_PROTOCOL, 1, 0);
        if_equal(writer, CONNECT_BY_FAST_OPEN, 0, 1);
        fail(writer, ENOPROTOOPT);
    }
    // The init closes copies of the program's sockets, and a lingering socket would block it.
    load_argument(writer, 1);
    if_equal(writer, SOL_SOCKET, 0, 3);
    load_argument(writer, 2);
    if_equal(writer, SO_LINGER, 0, 1);
    fail(writer, EPERM);
    allow(writer);
}

// CLONE_NEW… without CLONE_NEWTIME, whose bit is part of the exit signal of clone(2).
enum { ANY_NAMESPACE = 0x7e020000 };

static void write_clone(struct writer *writer, const struct policy *policy) {
    (void)policy;
    load_argument(writer, 0);
    add(writer, BPF_JMP | BPF_JSET | BPF_K, ANY_NAMESPACE, 0, 1);
    refuse(writer);
    allow(writer);
}

static void write_unshare(struct writer *writer, const struct policy *policy) {
    (void)policy;
    load_argument(writer, 0);
    add(writer, BPF_JMP | BPF_JSET | BPF_K, ANY_NAMESPACE | 0x80, 0, 1);
    refuse(writer);
    allow(writer);
}

// Allows a program to set its own priority, as libdispatch does for its threads. A full refusal ends a Swift program.
static void write_setpriority(struct writer *writer, const struct policy *policy) {
    (void)policy;
    load_argument(writer, 0);
    if_equal(writer, 0, 0, 2);  // PRIO_PROCESS
    load_argument(writer, 1);
    if_equal(writer, 0, 1, 0);
    refuse(writer);
    allow(writer);
}

// Refuses typing into another session's terminal.
//
// Without a view it also refuses changes to file attributes and file system specific requests, for which a read-only
// descriptor is enough. It still allows terminals, sockets, reading attributes and sharing blocks.
static void write_ioctl(struct writer *writer, const struct policy *policy) {
    load_argument(writer, 1);
    if_equal(writer, TIOCSTI, 1, 0);
    if_equal(writer, TIOCLINUX, 0, 1);
    refuse(writer);
    if (!policy->has_namespaces) {
        static const uint32_t harmless[] = {
            FIGETBSZ,
            FS_IOC_GETFLAGS,
            FS_IOC_FSGETXATTR,
            FS_IOC_FIEMAP,
            FICLONE,
            FICLONERANGE,
        };
        enum { COUNT = sizeof harmless / sizeof *harmless };
        for (uint8_t i = 0; i < COUNT; i++) if_equal(writer, harmless[i], (uint8_t)(COUNT + 3 - i), 0);
        add(writer, BPF_ALU | BPF_AND | BPF_K, 0xff00, 0, 0);
        if_equal(writer, 0x5400, 2, 0);
        if_equal(writer, 0x8900, 1, 0);
        refuse(writer);
    }
    allow(writer);
}

// Refuses a change of a pipe's size, and leases. The kernel counts a pipe's pages per user, so a few large pipes would
// exhaust the user's limit. A lease blocks others from opening a file, and needs only a read-only descriptor.
static void write_fcntl(struct writer *writer, const struct policy *policy) {
    (void)policy;
    load_argument(writer, 1);
    if_equal(writer, SET_PIPE_SIZE, 2, 0);
    if_equal(writer, MAKE_LEASE, 1, 0);
    if_equal(writer, MAKE_DELEGATION, 0, 1);
    fail(writer, EPERM);
    allow(writer);
}

// Refuses set-user-ID and set-group-ID modes, without a notice: an unconfined process that runs such a file would
// change its user. The accumulator holds the new mode.
static void refuse_set_user(struct writer *writer) {
    add(writer, BPF_JMP | BPF_JSET | BPF_K, S_ISUID | S_ISGID, 0, 1);
    fail(writer, EPERM);
}

// Whether truncation is confined. Before version 3 Landlock permits truncation of readable files, and of others by
// path.
static bool covers_truncation(const struct policy *policy) {
    return policy->has_namespaces || (policy->has_landlock && policy->landlock_version >= 3);
}

// Filters calls that open or create a file. Path lookups may be reported, too.
static void write_creation(struct writer *writer, const struct policy *policy, int flags, int mode) {
    if (flags >= 0 && !covers_truncation(policy)) {
        // Only read-only opens matter here: to open a file for writing, the program needs the right to write it.
        load_argument(writer, flags);
        add(writer, BPF_ALU | BPF_AND | BPF_K, O_ACCMODE | O_TRUNC, 0, 0);
        if_equal(writer, O_RDONLY | O_TRUNC, 0, 1);
        fail(writer, EACCES);
    }
    if (flags >= 0) {
        load_argument(writer, flags);
        add(writer, BPF_JMP | BPF_JSET | BPF_K, O_CREAT | (O_TMPFILE & ~O_DIRECTORY), 0, 3);
    }
    load_argument(writer, mode);
    refuse_set_user(writer);
    if (policy->teaches_paths && writer->has_listener)
        refuse(writer);
    else
        allow(writer);
}
static void write_openat(struct writer *writer, const struct policy *policy) { write_creation(writer, policy, 2, 3); }
#if defined(__x86_64__)
static void write_open(struct writer *writer, const struct policy *policy) { write_creation(writer, policy, 1, 2); }
static void write_creat(struct writer *writer, const struct policy *policy) { write_creation(writer, policy, -1, 1); }
#endif

static void write_mode(struct writer *writer, const struct policy *policy, int mode, bool is_allowed) {
    (void)policy;
    load_argument(writer, mode);
    refuse_set_user(writer);
    if (is_allowed)
        allow(writer);
    else
        refuse(writer);
}
static void write_second_mode(struct writer *writer, const struct policy *policy) {
    write_mode(writer, policy, 1, true);
}
static void write_third_mode(struct writer *writer, const struct policy *policy) {
    write_mode(writer, policy, 2, true);
}
static void write_fchmod(struct writer *writer, const struct policy *policy) {
    write_mode(writer, policy, 1, policy->has_namespaces);
}

// Filters personality(2). Allows queries, the default, and the default without address randomization, which sanitizers
// set.
static void write_personality(struct writer *writer, const struct policy *policy) {
    (void)policy;
    load_argument(writer, 0);
    if_equal(writer, 0xffffffff, 2, 0);
    add(writer, BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)0x0040000, 0, 0);
    if_equal(writer, 0, 0, 1);
    allow(writer);
    refuse(writer);
}

// Allows only the caller as the target; 0 means the caller.
static void write_own_only(struct writer *writer, const struct policy *policy) {
    (void)policy;
    load_argument(writer, 0);
    if_equal(writer, 0, 0, 1);
    allow(writer);
    refuse(writer);
}

// Allows every target but the init. In a view, all other processes belong to the program.
static void write_all_but_init(struct writer *writer, const struct policy *policy) {
    (void)policy;
    load_argument(writer, 0);
    if_equal(writer, 1, 0, 1);
    refuse(writer);
    allow(writer);
}

void make_filter(const struct policy *policy, bool tells, struct filter *filter) {
    struct writer writer = {filter, tells ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ERRNO | EPERM, tells, 0};
    // With another architecture's convention, every call has another number.
    load(&writer, offsetof(struct seccomp_data, arch));
    if_equal(&writer, ARCHITECTURE, 1, 0);
    answer(&writer, SECCOMP_RET_ERRNO | EPERM);
    load(&writer, offsetof(struct seccomp_data, nr));
    // Frequent calls come first.
    block(&writer, SYS_openat, write_openat, policy);
    block(&writer, SYS_fcntl, write_fcntl, policy);
    block(&writer, SYS_ioctl, write_ioctl, policy);
    bool has_one = has_one_direction(policy);
    if (has_one && policy->is_server) {
        block(&writer, SYS_sendmsg, write_sendmsg, policy);
        block(&writer, SYS_sendto, write_sendto, policy);
        block(&writer, SYS_sendmmsg, write_sendto, policy);
    }
    add(&writer, BPF_JMP | BPF_JGT | BPF_K, LAST_KNOWN_CALL, 0, 1);
    answer(&writer, SECCOMP_RET_ERRNO | ENOSYS);
    for (int i = 0; i < COUNT_REFUSED; i++) block(&writer, refused[i].number, write_refusal, policy);
    // The filter cannot read their flags and modes, which are in memory. Callers fall back to clone(2) and openat(2).
    block(&writer, NUMBER_clone3, write_absence, policy);
    block(&writer, NUMBER_openat2, write_absence, policy);
    block(&writer, SYS_socket, write_socket, policy);
    block(&writer, SYS_socketpair, write_socketpair, policy);
    block(&writer, SYS_clone, write_clone, policy);
    block(&writer, SYS_unshare, write_unshare, policy);
    block(&writer, SYS_setpriority, write_setpriority, policy);
    block(&writer, SYS_personality, write_personality, policy);
    block(&writer, SYS_fchmod, write_fchmod, policy);
    block(&writer, SYS_mknodat, write_third_mode, policy);
#if defined(__x86_64__)
    block(&writer, SYS_open, write_open, policy);
    block(&writer, SYS_creat, write_creat, policy);
    block(&writer, SYS_mknod, write_second_mode, policy);
#endif
    if (policy->has_namespaces) {
        block(&writer, SYS_fchmodat, write_third_mode, policy);
        block(&writer, NUMBER_fchmodat2, write_third_mode, policy);
#if defined(__x86_64__)
        block(&writer, SYS_chmod, write_second_mode, policy);
#endif
    } else {
        for (int i = 0; i < COUNT_WITHOUT_VIEW; i++)
            block(&writer, refused_without_view[i].number, write_refusal, policy);
        block(&writer, SYS_fchown, write_refusal, policy);
        block(&writer, SYS_utimensat, write_refusal, policy);
        if (!covers_truncation(policy)) block(&writer, SYS_truncate, write_refusal, policy);
    }
    static const int of_others[] = {
        SYS_prlimit64,
        SYS_sched_setscheduler,
        SYS_sched_setparam,
        SYS_sched_setattr,
        SYS_sched_setaffinity,
    };
    for (size_t i = 0; i < sizeof of_others / sizeof *of_others; i++)
        block(&writer, of_others[i], policy->has_namespaces ? write_all_but_init : write_own_only, policy);
    if (tells && policy->teaches_paths)
        for (int i = 0; i < COUNT_LOOKUPS; i++) block(&writer, lookups[i].number, write_refusal, policy);
    if (tells && (!policy->has_namespaces || geteuid() == 0))
        for (int i = 0; i < COUNT_COUNTED; i++) block(&writer, counted[i].number, write_refusal, policy);
    if (policy->has_network && (has_one || !policy->has_namespaces))
        block(&writer, SYS_setsockopt, write_setsockopt, policy);
    if (has_one) {
        // Landlock does not check listen(2) on a socket that was never bound.
        if (policy->is_client) block(&writer, SYS_listen, write_refusal, policy);
        if (tells) block(&writer, policy->is_client ? SYS_bind : SYS_connect, write_refusal, policy);
    }
    allow(&writer);
    filter->program = (struct sock_fprog){(unsigned short)writer.count, filter->steps};
}
