// refuse: what an engine that is fully loaded needs no more.
//
// The filter of exthost-init, below which all programs run, lets a program open files of its view and start programs.
// An engine that lives in one process needs neither, so a script that takes it over gets nothing but its memory.

#define _GNU_SOURCE
#include "exthost_jsc.h"

#include <errno.h>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system_call_filter.h"

#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define FAIL(code) RETURN(SECCOMP_RET_ERRNO | (code))
#define REFUSED(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), FAIL(EPERM)

int exthost_refuse_system_calls(void) {
    if (ARCHITECTURE == 0) return ENOSYS;
    struct sock_filter steps[] = {
        LOAD_CALL,
#if defined(__x86_64__)
        // The calls of the x32 interface have other numbers.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        FAIL(EPERM),
        REFUSED(open),
        REFUSED(creat),
        REFUSED(fork),
        REFUSED(vfork),
#endif
        REFUSED(openat),
        REFUSED(openat2),
        REFUSED(open_by_handle_at),
        REFUSED(socket),
        REFUSED(socketpair),
        REFUSED(connect),
        REFUSED(bind),
        REFUSED(execve),
        REFUSED(execveat),
        REFUSED(ptrace),
        REFUSED(memfd_create),
        REFUSED(io_uring_setup),
        // The C library uses clone when there is no clone3, whose flags a filter cannot see.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        FAIL(ENOSYS),
        // Threads of this process may be made.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        FAIL(EPERM),
        RETURN(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof steps / sizeof *steps, .filter = steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return errno;
    long failed = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return failed < 0 ? errno : failed > 0 ? EBUSY : 0;
}
