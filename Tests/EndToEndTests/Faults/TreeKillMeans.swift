// TreeKillMeans: by which means whoever runs the tests can have a tree killed here, by other evidence than the daemon's
// own.

import Glibc

enum TreeKillMeans {
    /// Those that reach a descendant with a session of its own.
    static let thorough = ["namespace", "guardian"] + (hasGroups ? ["cgroup"] : [])

    /// Root may make groups wherever version 2 is mounted.
    static let hasGroups =
        geteuid() == 0
        && ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].contains { access($0 + "/cgroup.controllers", F_OK) == 0 }
}
