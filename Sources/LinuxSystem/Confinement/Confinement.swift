// Confinement: the files and abilities that a confined program may use, as a value.

/// The network access of a program.
///
/// Only Landlock from version 4 on distinguishes the two, and only for TCP. With either, a program has datagrams in
/// both directions.
public struct NetworkAccess: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The right to connect to others.
    public static let client = NetworkAccess(rawValue: 1)
    /// The right to accept connections.
    public static let server = NetworkAccess(rawValue: 2)
}

/// The paths and abilities of a confined program; all others are closed.
///
/// Paths are absolute, and are the same inside as outside.
///
/// In addition it has the system's programs and libraries to read and execute, a `/proc` of its own processes, the
/// harmless devices, and a name service that knows only itself (`SystemView`).
public struct Confinement: Sendable {
    /// The layers to apply, as a `ConfinementProbe` found them.
    ///
    /// The program does not start if one is not available after all.
    public var layers: ConfinementLayers
    /// The files and folders to read, and to execute programs and libraries from: the bundle, its app's frameworks.
    public var readable: [ViewFile]
    /// The folders to read and write: the container, the groups. Nothing in them can be executed.
    public var writable: [ViewFile]
    /// The symbolic links of the view, each with its target. Without a view the links are those of the host.
    public var links: [String: String] = [:]
    /// The folder of all containers, where programs write.
    ///
    /// No library folder that a program names may be reached through it.
    public var containers: FolderIdentity?
    /// The `HOME` of the program, one of the writable folders; `nil`: as in the environment.
    public var home: String?
    /// The `TMPDIR` of the program, and its `/tmp`: a folder in one of the writable ones; `nil`: a small one in memory.
    public var temporaryFolder: ViewFile?
    /// The size of a temporary folder in memory, in bytes.
    public var temporaryBytes = 64 << 20
    /// The access to the host's network with sockets of the Internet families; empty: none.
    public var network: NetworkAccess
    /// Whether refused paths are reported too, not only refused calls.
    ///
    /// It makes every lookup of a path slower by two context switches.
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
    /// Returns the environment with the program's own home and temporary folder.
    func environment(_ given: [String]) -> [String] {
        var own = ["TMPDIR": temporaryFolder?.path ?? (layers.namespaces ? "/tmp" : nil)].compactMapValues { $0 }
        // Foundation reads the home from the list of users, unless its own variable names it.
        if let home { (own["HOME"], own["CFFIXED_USER_HOME"]) = (home, home) }
        let kept = given.filter { entry in !own.keys.contains { entry.hasPrefix("\($0)=") } }
        return kept + own.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }
}
