// hostile: makes each attempt, and prints "NAME ok" or "NAME ERRNO" for it, in order: Hostile NAME[=ARGUMENT]…

#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attempts.h"

int outcome(long result) { return result < 0 ? errno : 0; }

int outcome_of_probe(long result) {
    static const int told[] = {EINVAL, EFAULT, EBADF, ENOEXEC, ENODEV, EBUSY, EIO};
    for (size_t i = 0; result < 0 && i < sizeof told / sizeof *told; i++)
        if (errno == told[i]) return 0;
    return outcome(result);
}

static const struct attempt *find(const char *name) {
    const struct attempt *const lists[] = {
        file_attempts, socket_attempts, process_attempts, kernel_attempts, allowances};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct attempt *attempt = lists[i]; attempt->name; attempt++)
            if (strcmp(attempt->name, name) == 0) return attempt;
    return NULL;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        char *argument = strchr(argv[i], '=');
        if (argument) *argument++ = 0;
        const struct attempt *attempt = find(argv[i]);
        fflush(stdout);
        if (attempt && strncmp(argv[i], "may-", 4) == 0) {
            // The process itself makes the permitted calls: not all permissions apply to its children
            // (docs/confinement.md).
            int code = attempt->run(argument ? argument : "");
            printf("%s %s\n", argv[i], code == 0 ? "ok" : strerrorname_np(code));
            continue;
        }
        pid_t pid = attempt ? fork() : -1;
        if (pid == 0) {
            alarm(10);
            _exit(attempt->run(argument ? argument : ""));
        }
        int status = 0;
        while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
        const char *text = "unknown";
        if (pid > 0 && WIFSIGNALED(status))
            text = "killed";
        else if (pid > 0)
            text = WEXITSTATUS(status) == 0 ? "ok" : strerrorname_np(WEXITSTATUS(status));
        printf("%s %s\n", argv[i], text ? text : "?");
    }
    return 0;
}
