// ControlGroupTests: where a process stands among control groups, by the files that say so.

import Testing

@testable import ExtensionHostDaemon

@Suite struct ControlGroupTests {
    private let mounts = """
        22 1 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw
        30 22 0:26 / /sys/fs/cgroup/unified rw,relatime shared:4 - cgroup2 cgroup2 rw
        31 22 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:5 - cgroup cgroup rw,cpu,cpuacct
        32 22 0:28 / /sys/fs/cgroup/memory rw shared:6 - cgroup cgroup rw,memory
        """

    private func find(
        _ controller: String, _ version: ControlGroupHierarchy.Version, _ groups: String, _ mounts: String? = nil
    )
        -> String?
    {
        ControlGroupHierarchy.find(
            controller: controller, version: version, groups: groups, mounts: mounts ?? self.mounts)?.own
    }

    @Test func theOwnGroupIsFoundByControllerAndVersion() {
        let groups = "4:memory:/jobs/one\n1:cpu,cpuacct:/\n0::/user.slice/a:b\n"
        #expect(find("memory", .one, groups) == "/sys/fs/cgroup/memory/jobs/one")
        #expect(find("cpuacct", .one, groups) == "/sys/fs/cgroup/cpu,cpuacct")
        #expect(find("memory", .two, groups) == "/sys/fs/cgroup/unified/user.slice/a:b")
        #expect(find("pids", .one, groups) == nil)
    }

    @Test func aContainerSeesAPartOfTheTree() {
        let mounts = "9 1 0:9 /box/7 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
        #expect(find("memory", .two, "0::/box/7\n", mounts) == "/sys/fs/cgroup")
        #expect(find("memory", .two, "0::/box/7/inner\n", mounts) == "/sys/fs/cgroup/inner")
        #expect(find("memory", .two, "0::/box/77\n", mounts) == nil, "another's, whose name begins alike")
        #expect(find("memory", .two, "0::/../elsewhere\n", mounts) == nil, "outside of the namespace")
    }

    @Test(arguments: ["", "nonsense", ":::", "0::", "4:memory", "\n\n"])
    func whatCannotBeReadIsNoPlace(_ groups: String) {
        #expect(find("memory", .one, groups) == nil)
        #expect(find("memory", .one, "4:memory:/\n", groups) == nil)
    }
}
