// ContainerNames: how containers and what stands in them are called; an extension and the daemon mean the same by it.

/// Variables and paths. Everything below a group's folder is written down in `docs/containers.md`.
public enum ContainerNames {
    /// The folder in which each group has one of its name.
    public static let groupFolderVariable = "EXTHOST_GROUP_CONTAINERS"
    /// The groups that the process holds, with commas between.
    public static let groupsVariable = "EXTHOST_APP_GROUPS"

    /// What a program finds in its environment whose home is a container: an extension, and an app that is run in its own.
    public static func variables(home: String, groupFolder: String, groups: [GroupIdentifier]) -> [String: String] {
        [
            "HOME": home, "CFFIXED_USER_HOME": home, "TMPDIR": home + "/tmp", groupFolderVariable: groupFolder,
            groupsVariable: groups.map(\.text).joined(separator: ","),
        ]
    }

    /// Below the folder of containers.
    public static let groups = "Shared/AppGroup"
    public static let applications = "Data/Application"
    public static let plugIns = "Data/PlugIn"

    /// The folders of a container in which its shared defaults lie, outermost first.
    public static let preferences = ["Library", "Preferences"]

    /// The file of a group's shared defaults.
    public static func defaults(of group: GroupIdentifier) -> String { "\(group).plist" }
    /// The file that a process locks while it changes them. It is never replaced.
    public static func defaultsLock(of group: GroupIdentifier) -> String { ".\(group).plist.lock" }
    /// In that file, the byte whose lock is the right to change them, and the one that is locked while that is waited for: who waits keeps
    /// those who come later from passing by.
    public static let changingByte = 0
    public static let waitingByte = 1
    /// The file that takes the place of the other when it is complete.
    public static func newDefaults(of group: GroupIdentifier) -> String { ".\(group).plist.new" }
}
