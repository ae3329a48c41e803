// Which system calls a confined program may not make, and the small program that the kernel asks about each call.
//
// Calls that most programs need are left alone: Swift with Foundation and Dispatch runs unharmed. What is refused reaches the kernel's own
// affairs or other processes. Calls younger than this list do not exist for the program (ENOSYS), as on an older kernel. The filter sees
// numbers, never what a pointer leads to: whatever depends on a path is the view's business, or Landlock's.

#define _GNU_SOURCE
#include "filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE 0
#endif

// Linux 6.17. Numbers from 424 on are the same on both processors; these have no name in older headers.
enum { LAST_KNOWN_CALL = 469 };
#define NUMBER_clone3 435
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

// Refused always.
static const struct call refused[] = {
    // Tracing: another process's memory, descriptors and timing.
    CALL(ptrace), CALL(process_vm_readv), CALL(process_vm_writev), CALL(kcmp), CALL(pidfd_getfd), CALL(perf_event_open),
    YOUNG(process_madvise), YOUNG(process_mrelease),
    // Mounts and roots.
    CALL(mount), CALL(umount2), CALL(pivot_root), CALL(chroot), CALL(move_mount), CALL(open_tree), CALL(fsopen), CALL(fsconfig),
    CALL(fsmount), CALL(fspick), YOUNG(mount_setattr), YOUNG(open_tree_attr), CALL(swapon), CALL(swapoff), CALL(quotactl),
    YOUNG(quotactl_fd), CALL(name_to_handle_at), CALL(open_by_handle_at), CALL(fanotify_init), CALL(fanotify_mark),
    CALL(setns),
    // Keyrings, which follow the user and not the process.
    CALL(add_key), CALL(request_key), CALL(keyctl),
    // Large and often attacked parts of the kernel.
    CALL(bpf), CALL(userfaultfd), CALL(io_uring_setup), CALL(io_uring_enter), CALL(io_uring_register),
    // The kernel itself, its clock and its names.
    CALL(init_module), CALL(finit_module), CALL(delete_module), CALL(kexec_load), CALL(kexec_file_load), CALL(reboot), CALL(syslog),
    CALL(acct), CALL(settimeofday), CALL(clock_settime), CALL(clock_adjtime), CALL(adjtimex), CALL(sethostname),
    CALL(setdomainname), CALL(vhangup), CALL(lookup_dcookie), CALL(nfsservctl),
#if defined(__x86_64__)
    CALL(iopl), CALL(ioperm), CALL(modify_ldt), CALL(uselib), CALL(ustat), CALL(sysfs), CALL(_sysctl), CALL(create_module),
    CALL(get_kernel_syms), CALL(query_module),
#endif
};

// Refused where there is no view: they reach files by paths that Landlock does not look at, or objects of all the user's processes.
static const struct call refused_without_view[] = {
    CALL(fchmodat), CALL(fchownat), CALL(setxattr), CALL(lsetxattr), CALL(removexattr), CALL(lremovexattr), YOUNG(fchmodat2),
    YOUNG(setxattrat), YOUNG(removexattrat), YOUNG(file_setattr), CALL(shmget), CALL(shmat), CALL(shmctl), CALL(semget),
    CALL(semop), CALL(semtimedop), CALL(semctl), CALL(msgget), CALL(msgsnd), CALL(msgrcv), CALL(msgctl), CALL(mq_open),
    CALL(mq_unlink), CALL(ioprio_set), CALL(migrate_pages), CALL(move_pages),
#if defined(__x86_64__)
    CALL(chmod), CALL(chown), CALL(lchown), CALL(utime), CALL(utimes), CALL(futimesat),
#endif
};

// Refused by their arguments.
static const struct call conditional[] = {
    CALL(socket), CALL(socketpair), CALL(clone), CALL(unshare), CALL(setpriority), CALL(ioctl), CALL(personality), CALL(prlimit64),
    CALL(utimensat), CALL(sched_setscheduler), CALL(sched_setparam), CALL(sched_setattr), CALL(sched_setaffinity),
};

// Only told, when refused paths are to be told.
static const struct call lookups[] = {
#if defined(__x86_64__)
    CALL(open), CALL(stat), CALL(lstat), CALL(access), CALL(readlink), CALL(creat),
#endif
    CALL(openat), CALL(newfstatat), CALL(statx), CALL(faccessat), CALL(readlinkat),
    {439, "faccessat2"}, {437, "openat2"},
};

// Only told, where Landlock refuses them: TCP the other way round than the entitlements ask for.
static const struct call connections[] = {CALL(connect), CALL(bind)};

enum { COUNT_REFUSED = sizeof refused / sizeof *refused };
enum { COUNT_WITHOUT_VIEW = sizeof refused_without_view / sizeof *refused_without_view };
enum { COUNT_CONDITIONAL = sizeof conditional / sizeof *conditional };
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
    if (!name) name = find(lookups, COUNT_LOOKUPS, number);
    return name ? name : find(connections, COUNT_CONNECTIONS, number);
}

bool is_connection(int number) { return find(connections, COUNT_CONNECTIONS, number) != NULL; }

// The one of the two that Landlock refuses to a program that has the other; 0 where it tells them not apart, or refuses neither.
static int refused_connection(const struct policy *policy) {
    bool tells_apart = policy->has_landlock && policy->landlock_version >= 4;
    if (!tells_apart || !policy->has_network || policy->is_client == policy->is_server) return 0;
    return policy->is_client ? SYS_bind : SYS_connect;
}

bool is_path_lookup(int number, bool *is_at) {
    *is_at = true;
#if defined(__x86_64__)
    *is_at = !(number == SYS_open || number == SYS_stat || number == SYS_lstat || number == SYS_access || number == SYS_readlink
               || number == SYS_creat);
#endif
    return find(lookups, COUNT_LOOKUPS, number) != NULL;
}

// The steps. Each block for a call loads what it needs over the call's number, and so ends in an answer on every way through it.

struct writer {
    struct filter *filter;
    uint32_t refusal;
    int count;
};

static void add(struct writer *writer, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
    writer->filter->steps[writer->count++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(struct writer *writer, uint32_t offset) { add(writer, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
// The lower half, which is all of an int: both processors are little-endian.
static void load_argument(struct writer *writer, int index) {
    load(writer, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)index));
}
static void answer(struct writer *writer, uint32_t value) { add(writer, BPF_RET | BPF_K, value, 0, 0); }
static void allow(struct writer *writer) { answer(writer, SECCOMP_RET_ALLOW); }
static void refuse(struct writer *writer) { answer(writer, writer->refusal); }
static void if_equal(struct writer *writer, uint32_t value, uint8_t if_true, uint8_t if_false) {
    add(writer, BPF_JMP | BPF_JEQ | BPF_K, value, if_true, if_false);
}

// Goes on behind the block that `write` makes unless the call has that number.
static void block(struct writer *writer, int number, void (*write)(struct writer *, const struct policy *), const struct policy *policy) {
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

// With the family of a socket at hand: goes on behind it for another family.
static void family(struct writer *writer, int family, int type, int other_type) {
    if_equal(writer, (uint32_t)family, 0, 6);
    load_argument(writer, 1);
    add(writer, BPF_ALU | BPF_AND | BPF_K, 0xf, 0, 0);  // without SOCK_CLOEXEC and SOCK_NONBLOCK
    if_equal(writer, (uint32_t)type, 1, 0);
    if_equal(writer, (uint32_t)other_type, 0, 1);
    allow(writer);
    refuse(writer);
}

// Without a view the paths of others' sockets can be reached, and with the host's network their abstract names, where no Landlock
// keeps the program from them.
static bool hides_sockets(const struct policy *policy) {
    return policy->has_namespaces && (!policy->has_network || (policy->has_landlock && policy->landlock_version >= 6));
}

// A datagram socket can send to any path or name without a connect, and a raw one anything to anybody. Where others' sockets can be
// reached the program makes none, and is left with the one that it was given.
static void write_socket(struct writer *writer, const struct policy *policy) {
    load_argument(writer, 0);
    if (hides_sockets(policy)) family(writer, AF_UNIX, SOCK_STREAM, SOCK_SEQPACKET);
    if (policy->has_namespaces && !policy->has_network) {
        // In a network of its own, where they reach nobody. Foundation wakes a thread by two of them that are connected to each
        // other, and Process waits for ever without (observed).
        family(writer, AF_INET, SOCK_DGRAM, SOCK_DGRAM);
        family(writer, AF_INET6, SOCK_DGRAM, SOCK_DGRAM);
    }
    if (policy->has_network) {
        family(writer, AF_INET, SOCK_STREAM, SOCK_DGRAM);
        family(writer, AF_INET6, SOCK_STREAM, SOCK_DGRAM);
        // The addresses of this machine's interfaces: what getaddrinfo(3) asks for. Protocol 0 is NETLINK_ROUTE.
        if_equal(writer, AF_NETLINK, 0, 3);
        load_argument(writer, 2);
        if_equal(writer, 0, 0, 1);
        allow(writer);
    }
    refuse(writer);
}

// One end of a pair of datagram sockets can send to any path, too.
static void write_socketpair(struct writer *writer, const struct policy *policy) {
    (void)policy;
    load_argument(writer, 0);
    family(writer, AF_UNIX, SOCK_STREAM, SOCK_SEQPACKET);
    refuse(writer);
}

enum { ANY_NAMESPACE = 0x7e020000 };  // CLONE_NEW… but CLONE_NEWTIME, whose bit belongs to the exit signal of clone(2)

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

// Its own, as libdispatch does for the priority of its threads; refused altogether that ends a Swift program.
static void write_setpriority(struct writer *writer, const struct policy *policy) {
    (void)policy;
    load_argument(writer, 0);
    if_equal(writer, 0, 0, 2);  // PRIO_PROCESS
    load_argument(writer, 1);
    if_equal(writer, 0, 1, 0);
    refuse(writer);
    allow(writer);
}

// Typing into the terminal of somebody else.
static void write_ioctl(struct writer *writer, const struct policy *policy) {
    (void)policy;
    load_argument(writer, 1);
    if_equal(writer, TIOCSTI, 1, 0);
    if_equal(writer, TIOCLINUX, 0, 1);
    refuse(writer);
    allow(writer);
}

// Asking, the usual one, and the usual one without random addresses, which sanitizers want.
static void write_personality(struct writer *writer, const struct policy *policy) {
    (void)policy;
    load_argument(writer, 0);
    if_equal(writer, 0xffffffff, 2, 0);
    add(writer, BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)0x0040000, 0, 0);
    if_equal(writer, 0, 0, 1);
    allow(writer);
    refuse(writer);
}

// 0 is the caller itself.
static void write_own_only(struct writer *writer, const struct policy *policy) {
    (void)policy;
    load_argument(writer, 0);
    if_equal(writer, 0, 0, 1);
    allow(writer);
    refuse(writer);
}

// Without a path it is the file of a descriptor (futimens(3)).
static void write_utimensat(struct writer *writer, const struct policy *policy) {
    (void)policy;
    load_argument(writer, 1);
    if_equal(writer, 0, 0, 3);
    load(writer, (uint32_t)offsetof(struct seccomp_data, args) + 8 + 4);
    if_equal(writer, 0, 0, 1);
    allow(writer);
    refuse(writer);
}

void make_filter(const struct policy *policy, bool tells, struct filter *filter) {
    struct writer writer = {filter, tells ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ERRNO | EPERM, 0};
    // A call in the manner of another processor has another number for everything.
    load(&writer, offsetof(struct seccomp_data, arch));
    if_equal(&writer, ARCHITECTURE, 1, 0);
    answer(&writer, SECCOMP_RET_ERRNO | EPERM);
    load(&writer, offsetof(struct seccomp_data, nr));
    add(&writer, BPF_JMP | BPF_JGT | BPF_K, LAST_KNOWN_CALL, 0, 1);
    answer(&writer, SECCOMP_RET_ERRNO | ENOSYS);
    for (int i = 0; i < COUNT_REFUSED; i++) block(&writer, refused[i].number, write_refusal, policy);
    // Its flags lie in memory. Whoever wants a thread or a process falls back to clone(2).
    block(&writer, NUMBER_clone3, write_absence, policy);
    block(&writer, SYS_socket, write_socket, policy);
    block(&writer, SYS_socketpair, write_socketpair, policy);
    block(&writer, SYS_clone, write_clone, policy);
    block(&writer, SYS_unshare, write_unshare, policy);
    block(&writer, SYS_setpriority, write_setpriority, policy);
    block(&writer, SYS_ioctl, write_ioctl, policy);
    block(&writer, SYS_personality, write_personality, policy);
    if (!policy->has_namespaces) {
        for (int i = 0; i < COUNT_WITHOUT_VIEW; i++) block(&writer, refused_without_view[i].number, write_refusal, policy);
        block(&writer, SYS_prlimit64, write_own_only, policy);
        block(&writer, SYS_sched_setscheduler, write_own_only, policy);
        block(&writer, SYS_sched_setparam, write_own_only, policy);
        block(&writer, SYS_sched_setattr, write_own_only, policy);
        block(&writer, SYS_sched_setaffinity, write_own_only, policy);
        block(&writer, SYS_utimensat, write_utimensat, policy);
    }
    if (tells && policy->teaches_paths)
        for (int i = 0; i < COUNT_LOOKUPS; i++) block(&writer, lookups[i].number, write_refusal, policy);
    int connection = refused_connection(policy);
    if (tells && connection != 0) block(&writer, connection, write_refusal, policy);
    allow(&writer);
    filter->program = (struct sock_fprog){(unsigned short)writer.count, filter->steps};
}
