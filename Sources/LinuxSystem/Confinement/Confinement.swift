// Confinement: what a program may touch, as a value. Everything else is closed to it.

/// What a program may do over the network. Only Landlock from version 4 on tells the two apart, and only for TCP: with either a program has
/// datagrams in both directions.
public struct NetworkAccess: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// To connect to others.
    public static let client = NetworkAccess(rawValue: 1)
    /// To be connected to.
    public static let server = NetworkAccess(rawValue: 2)
}

/// The paths and abilities of a confined program. Paths are absolute, and are the same inside as outside.
///
/// Besides what is named here it has the system's programs and libraries to read and execute, a `/proc` of its own processes, the harmless
/// devices, and a name service that knows itself only (`SystemView`).
public struct Confinement: Sendable {
    /// The layers to put on, as a `ConfinementProbe` found them. One that is not to be had after all lets the program not start.
    public var layers: ConfinementLayers
    /// Files and folders to read, and to execute programs and libraries from: the bundle, its app's frameworks.
    public var readable: [ViewFile]
    /// Folders to read and write: the container, the groups. Nothing in them can be executed.
    public var writable: [ViewFile]
    /// Symbolic links of the view, each with what it says. Without a view there are those of the host.
    public var links: [String: String] = [:]
    /// The folder of all containers, where programs write: none of the library folders that a program names may be reached through it.
    public var containers: FolderIdentity?
    /// `HOME` of the program, one of the writable folders; `nil`: as in the environment.
    public var home: String?
    /// `TMPDIR` of the program, and its `/tmp`: a folder in one of the writable ones; `nil`: a small one in memory.
    public var temporaryFolder: ViewFile?
    /// Sockets of the Internet families, over the network of the host; empty: none.
    public var network: NetworkAccess
    /// Refused paths are told too, not refused calls alone. It makes every lookup of a path slower by the time of two switches.
    public var teachesPaths: Bool

    public init(
        layers: ConfinementLayers, readable: [ViewFile] = [], writable: [ViewFile] = [], home: String? = nil,
        temporaryFolder: ViewFile? = nil, network: NetworkAccess = [], teachesPaths: Bool = false
    ) {
        self.layers = layers
        self.readable = readable
        self.writable = writable
        self.home = home
        self.temporaryFolder = temporaryFolder
        self.network = network
        self.teachesPaths = teachesPaths
    }
}

extension Confinement {
    /// The environment with the program's own home and temporary folder.
    func environment(_ given: [String]) -> [String] {
        var own = ["TMPDIR": temporaryFolder?.path ?? (layers.namespaces ? "/tmp" : nil)].compactMapValues { $0 }
        // Foundation asks the list of users for the home, unless it is told by a name of its own.
        if let home { (own["HOME"], own["CFFIXED_USER_HOME"]) = (home, home) }
        let kept = given.filter { entry in !own.keys.contains { entry.hasPrefix("\($0)=") } }
        return kept + own.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }
}
