// LinkMode: the ways to link the programs of a bundle, with their costs.

/// The parts of Swift that a program contains.
public enum LinkMode: String, Sendable, Hashable, CaseIterable {
    /// The program contains Swift's libraries, but not the C library. It starts without a toolchain.
    case staticStandardLibrary = "static-stdlib"
    /// The program contains all libraries. It can neither load libraries nor use FoundationNetworking.
    case staticExecutable = "static"
    /// The program uses the toolchain's Swift libraries, which must exist wherever the bundle runs.
    case dynamic

    /// The arguments for `swift build`.
    var arguments: [String] {
        switch self {
        case .staticStandardLibrary: ["--static-swift-stdlib"]
        case .staticExecutable: ["-Xswiftc", "-static-executable"]
        case .dynamic: []
        }
    }

    /// The folder of the mode's objects in the build folder.
    ///
    /// The compiler does not compile again for another mode, and its objects name the libraries of the mode for the
    /// linker. So one mode cannot use another's objects. Nil for the build folder itself: the dynamic mode builds the
    /// same as `swift build` and `swift test`.
    var scratchFolder: String? { self == .dynamic ? nil : "exthost/\(rawValue)" }
}
