// SwiftRuntime: the place of the Swift runtime that a program or library uses.

/// The Swift runtime of one file.
package enum SwiftRuntime: Sendable, Hashable {
    /// The file has no Swift code.
    case none
    /// The runtime is in the library `libswiftCore.so`, one for all files of a process.
    case shared
    /// The runtime is linked into the file (`-static-stdlib`, `-static-executable`).
    case own

    private static let library = "libswiftCore.so"

    /// Determines the runtime from the file's types and from the libraries that it needs.
    package init(of file: borrowing ELFFile, _ links: ELFLinks) {
        if links.needed.contains(Self.library) {
            self = .shared
        } else {
            self = file.hasSwiftTypes ? .own : .none
        }
    }
}
