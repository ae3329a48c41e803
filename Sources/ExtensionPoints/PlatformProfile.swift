// PlatformProfile: what is known of a platform's limits and habits, chosen by its name (spec 5.3, 5.4).

/// Figures of one platform. Apple publishes none, so each says how anybody knows.
public struct PlatformProfile: Sendable, Hashable {
    /// When a platform suspends an extension whose host is away (spec 5.4).
    public enum Suspension: String, Sendable, Hashable, CaseIterable {
        /// After the timer `suspend` in the background.
        case background
        /// After the same time, counted from where the host resigns to be active.
        case resignActive
    }

    /// A habit, and how anybody knows.
    public struct Habit<Value: Sendable & Hashable>: Sendable, Hashable {
        public var value: Value
        public var provenance: MemoryLimit.Provenance
        public var source: String
    }

    /// As an option names it, such as `ios-8`; `strict` is no platform, but what the documentation allows all of them.
    public var name: String
    /// What people call it.
    public var title: String
    /// By extension point.
    public var memory: [String: MemoryLimit]
    /// Whether an extension that blocks its main queue is ended; nil where nothing is known.
    public var endsUnresponsive: Habit<Bool>?
    /// nil where nothing is known.
    public var suspension: Habit<Suspension>?

    /// The memory that a process of this point may take: this platform's figure, else the one that the built-in point has from whatever
    /// device it was seen on.
    public func memoryLimit(of point: ExtensionPoint) -> MemoryLimit? { memory[point.identifier] ?? point.memoryLimit }
}

extension PlatformProfile {
    /// Every profile, in the order of names.
    public static let all: [PlatformProfile] = files.map { bytes in
        do {
            return try PlatformProfile(file: bytes)
        } catch {
            // They are part of the program, and a test reads them all.
            fatalError("a built-in profile: \(error)")
        }
    }

    public static func named(_ name: String) -> PlatformProfile? { all.first { $0.name == name } }

    /// Resources have no list of their own; a test compares this one with the folder.
    static var files: [[UInt8]] {
        [
            PackageResources.ios_12_plist, PackageResources.ios_15_plist, PackageResources.ios_16_plist,
            PackageResources.ios_8_plist, PackageResources.ipados_26_plist, PackageResources.strict_plist,
        ]
    }
}
