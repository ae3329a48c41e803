// PlatformProfile: the known limits and habits of a platform, chosen by its name (spec 5.3, 5.4).

/// The figures of one platform. Apple publishes none, so each one names its source.
public struct PlatformProfile: Sendable, Hashable {
    /// The time at which a platform suspends an extension whose host is away (spec 5.4).
    public enum Suspension: String, Sendable, Hashable, CaseIterable {
        /// The platform suspends it after the timer `suspend` in the background.
        case background
        /// The platform suspends it after the same time, counted from when the host resigns active.
        case resignActive
    }

    /// A habit of the platform, with its source.
    public struct Habit<Value: Sendable & Hashable>: Sendable, Hashable {
        public var value: Value
        public var provenance: MemoryLimit.Provenance
        public var source: String
    }

    /// The name in options, such as `ios-8`. `strict` is no platform, but what the documentation allows all of them.
    public var name: String
    /// The name for people.
    public var title: String
    /// The version of the system, its last release that was known here, such as `8.4.1`; nil for `strict`.
    public var version: String?
    /// The memory limits, by extension point.
    public var memory: [String: MemoryLimit]
    /// Whether an extension that blocks its main queue is terminated; nil if nothing is known.
    public var endsUnresponsive: Habit<Bool>?
    /// The time of suspension; nil if nothing is known.
    public var suspension: Habit<Suspension>?

    /// Returns the memory that a process of this point may use.
    ///
    /// It is this platform's figure, else the built-in point's, from whatever device it was seen on.
    public func memoryLimit(of point: ExtensionPoint) -> MemoryLimit? { memory[point.identifier] ?? point.memoryLimit }
}

extension PlatformProfile {
    /// All profiles, sorted by name.
    public static let all: [PlatformProfile] = files.map { bytes in
        do {
            return try PlatformProfile(file: bytes)
        } catch {
            // The files are part of the program, and a test reads them all.
            fatalError("a built-in profile: \(error)")
        }
    }

    public static func named(_ name: String) -> PlatformProfile? { all.first { $0.name == name } }

    /// The embedded files. The build makes no list of resources, so a test compares this one with the folder.
    static var files: [[UInt8]] {
        [
            PackageResources.ios_10_plist, PackageResources.ios_11_plist, PackageResources.ios_12_plist,
            PackageResources.ios_13_plist, PackageResources.ios_14_plist, PackageResources.ios_15_plist,
            PackageResources.ios_16_plist, PackageResources.ios_17_plist, PackageResources.ios_18_plist,
            PackageResources.ios_26_plist, PackageResources.ios_7_plist, PackageResources.ios_8_plist,
            PackageResources.ios_9_plist, PackageResources.ipados_26_plist, PackageResources.strict_plist,
        ]
    }
}
