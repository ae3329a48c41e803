// idle: measures the memory of idle children: idle COUNT -- CHILD …. Prints the resident and the private kilobytes of
// up to twenty of them.

#include "bench.h"

static double figure(pid_t pid, const char *name) {
    char path[64], line[256];
    long value = 0, sum = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
    FILE *file = fopen(path, "r");
    if (!file) fail(path);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0 && sscanf(strchr(line, ':') + 1, "%ld", &value) == 1) sum += value;
    fclose(file);
    return (double)sum;
}

int main(int count, char **arguments) {
    if (count < 4) return 64;
    char **child = command(arguments), ready[MESSAGE];
    int children = atoi(arguments[1]);
    raise_descriptor_limit();
    pid_t *pids = calloc((size_t)children, sizeof(pid_t));
    for (int i = 0; i < children; i++) {
        int end;
        pids[i] = start(child, &end);
        receive(end, ready);
    }
    usleep(100000);
    struct samples resident = {"rss", "KB"}, alone = {"uss", "KB"};
    for (int i = 0; i < children; i += children < 20 ? 1 : children / 20) {
        add(&resident, figure(pids[i], "Rss"));
        add(&alone, figure(pids[i], "Private_Clean") + figure(pids[i], "Private_Dirty"));
    }
    for (int i = 0; i < children; i++) {
        kill(pids[i], SIGKILL);
        waitpid(pids[i], NULL, 0);
    }
    print(&resident);
    print(&alone);
    return 0;
}
