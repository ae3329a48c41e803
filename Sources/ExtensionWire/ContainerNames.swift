// ContainerNames: the names of containers and of their contents, shared by an extension and the daemon.

/// The variables and paths of containers. `docs/containers.md` describes everything below a group's folder.
public enum ContainerNames {
    /// The folder that has a folder for each group, under the group's name.
    public static let groupFolderVariable = "EXTHOST_GROUP_CONTAINERS"
    /// The folder of all containers, for the program of a service that uses them.
    public static let allVariable = "EXTHOST_CONTAINERS"
    /// The groups that the process holds, separated by commas.
    public static let groupsVariable = "EXTHOST_APP_GROUPS"

    /// Returns the environment of a program whose home is a container: an extension, or an app that is run in its own
    /// container.
    public static func variables(home: String, groupFolder: String, groups: [GroupIdentifier]) -> [String: String] {
        [
            "HOME": home, "CFFIXED_USER_HOME": home, "TMPDIR": home + "/tmp", groupFolderVariable: groupFolder,
            groupsVariable: groups.map(\.text).joined(separator: ","),
        ]
    }

    /// Returns the folder that has a folder for each group, as a program finds it in its environment.
    ///
    /// - Parameter environment: returns the value of a variable.
    /// - Returns: the folder; nil without a home, or for a relative path.
    public static func groupFolder(_ environment: (String) -> String?) -> String? {
        // A relative path would mean another folder after a change of the working directory.
        if let folder = environment(groupFolderVariable) { return folder.hasPrefix("/") ? folder : nil }
        let data: String? =
            if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") {
                data
            } else if let home = environment("HOME"), home.hasPrefix("/") {
                home + "/.local/share"
            } else {
                nil
            }
        return data.map { "\($0)/exthost/Containers/\(groups)" }
    }

    /// The paths below the folder of containers.
    public static let groups = "Shared/AppGroup"
    public static let applications = "Data/Application"
    public static let plugIns = "Data/PlugIn"
    public static let services = "Data/Service"

    /// The folders of a container that lead to its shared defaults, outermost first.
    public static let preferences = ["Library", "Preferences"]

    /// The file of a group's shared defaults.
    public static func defaults(of group: GroupIdentifier) -> String { "\(group).plist" }
    /// The file that a process locks while it changes the defaults. It is never replaced.
    public static func defaultsLock(of group: GroupIdentifier) -> String { ".\(group).plist.lock" }
    /// The byte of that file whose lock is the right to change the defaults, and the byte that a waiting process locks.
    ///
    /// The second lock makes later processes wait behind the one that already waits.
    public static let changingByte = 0
    public static let waitingByte = 1
    /// The new file that replaces the old one when it is complete.
    public static func newDefaults(of group: GroupIdentifier) -> String { ".\(group).plist.new" }
}
