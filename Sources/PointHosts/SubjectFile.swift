// SubjectFile: a file of this machine that a host gives to an extension.

internal import ExtensionPointKit
internal import ExtensionProtocol
internal import LinuxDescriptors
internal import UniformTypeIdentifiers

/// A regular file, which is opened once.
struct SubjectFile: Sendable {
    let path: String
    /// The last component of the path.
    let name: String
    /// The uniform type identifier.
    let type: String
    let file: PointFile

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the path.
    ///   - type: the uniform type identifier; nil: that of the file name's extension, else `public.data`.
    /// - Throws: `SystemError` if the file cannot be opened; `ExtensionHostError` `invalidArgument` if it is not regular.
    init(_ path: String, type: String?) throws {
        file = try PointFile(readingAt: path)
        guard try FileStatus(of: file.descriptor.raw).isRegular else {
            throw ExtensionHostError(.invalidArgument, "\(path) is not a regular file", remedy: "Name a file")
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        (self.path, self.name) = (path, name)
        var known: UTType?
        if let dot = name.lastIndex(of: "."), dot != name.startIndex {
            known = UTType(filenameExtension: String(name[name.index(after: dot)...]))
        }
        self.type = type ?? known?.identifier ?? "public.data"
    }

    /// Whether the type, or a type to which it conforms, is one of these.
    func conforms(to types: [String]) -> Bool { types.contains { TypeTable.current.conforms(type, to: $0) } }

    /// Whether the type itself is one of these.
    func isOne(of types: [String]) -> Bool { types.contains { $0.lowercased() == type.lowercased() } }
}
