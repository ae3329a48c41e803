// LinkMode: how the programs of a bundle are linked, and what that costs.

/// What a program brings along of Swift.
public enum LinkMode: String, Sendable, Hashable, CaseIterable {
    /// Swift's libraries within the program, the C library outside: it starts without a toolchain in sight.
    case staticStandardLibrary = "static-stdlib"
    /// Nothing outside. It can neither load libraries nor use FoundationNetworking.
    case staticExecutable = "static"
    /// Swift's libraries where the toolchain has them, which must be there wherever the bundle runs.
    case dynamic

    /// What `swift build` is told.
    var arguments: [String] {
        switch self {
        case .staticStandardLibrary: ["--static-swift-stdlib"]
        case .staticExecutable: ["-Xswiftc", "-static-executable"]
        case .dynamic: []
        }
    }

    /// Where its objects lie in the package: flags differ, and what is compiled for one mode is of no use to another. Nil for SwiftPM's own
    /// folder: the dynamic mode is what `swift build` and `swift test` make.
    var scratchFolder: String? { self == .dynamic ? nil : ".build/exthost/\(rawValue)" }
}
