// confine: a filter of system calls that is a list of what is allowed.
//
// The filter of exthost-init is a list of what is refused, because programs of all kinds run below it. A decoder needs
// next to nothing, so here everything else ends the process: there is no file, socket, program or other process that
// it could reach.

#define _GNU_SOURCE
#include "CImageConfinement.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system_call_filter.h"

// The lower half of an argument: both processors are little-endian, and the values are ints.
#define ARGUMENT(index) LOAD(args[index])
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
// Runs the next steps for one call only.
#define FOR(call, steps) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, steps)
#define ALLOWED(call) FOR(call, 1), ALLOW
// Ends a call whose argument has one of the bits, or lacks all.
#define KILL_IF_SET(bits) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), KILL
#define KILL_UNLESS_SET(bits) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0), KILL

const char *exthost_confine_images(int result) {
    if (ARCHITECTURE == 0) return "a filter for this processor";
    struct sock_filter steps[] = {
        LOAD_CALL,
        ALLOWED(pread64),
        ALLOWED(munmap),
        ALLOWED(mremap),
        ALLOWED(brk),
        ALLOWED(madvise),
        ALLOWED(futex),
        ALLOWED(getrandom),
        ALLOWED(clock_gettime),
        ALLOWED(restart_syscall),
        ALLOWED(rt_sigreturn),
        ALLOWED(exit),
        ALLOWED(exit_group),
        // Writing to the result.
        FOR(pwrite64, 4),
        ARGUMENT(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)result, 1, 0),
        KILL,
        ALLOW,
        // Memory that belongs to no file and is not executed.
        FOR(mmap, 7),
        ARGUMENT(2),
        KILL_IF_SET(PROT_EXEC),
        ARGUMENT(3),
        KILL_UNLESS_SET(MAP_ANONYMOUS),
        ALLOW,
        FOR(mprotect, 4),
        ARGUMENT(2),
        KILL_IF_SET(PROT_EXEC),
        ALLOW,
        KILL,
    };
    struct sock_fprog program = {.len = sizeof steps / sizeof *steps, .filter = steps};
    if (prctl(PR_SET_DUMPABLE, 0) < 0) return "PR_SET_DUMPABLE";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return "PR_SET_NO_NEW_PRIVS";
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0) return "seccomp";
    return NULL;
}

void exthost_attempt(const char *call, int descriptor) {
    if (strcmp(call, "open") == 0)
        syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
    else if (strcmp(call, "socket") == 0)
        syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
    else if (strcmp(call, "fork") == 0)
        syscall(SYS_clone, 17, 0, 0, 0, 0);
    else if (strcmp(call, "execute") == 0)
        syscall(SYS_execve, "/bin/true", NULL, NULL);
    else if (strcmp(call, "map") == 0)
        syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    else if (strcmp(call, "write") == 0)
        syscall(SYS_pwrite64, descriptor, "x", 1, 0);
}
