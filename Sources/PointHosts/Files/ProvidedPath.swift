// ProvidedPath: items by their paths, and the reading and writing of their contents.

import LinuxDescriptors

/// Paths of a provider's items, such as `/Reports/May.txt`.
public enum ProvidedPath {
    /// The identifier of the top folder.
    public static let root = ProviderFiles.rootContainer

    /// Returns the item of a path.
    ///
    /// - Throws: `FileFailure` `noSuchItem`, `isNoFolder`.
    public static func item(_ path: String, of files: some ProvidedFiles) async throws(FileFailure) -> ProvidedItem {
        var item = try await files.item(files.root)
        for name in path.split(separator: "/") {
            guard item.kind == .folder else { throw FileFailure(.isNoFolder, "\(item.name) is no folder") }
            item = try await files.item(named: String(name), in: item.identifier)
        }
        return item
    }

    /// Returns the folder of a path, and the name in it.
    ///
    /// - Throws: `FileFailure` `invalidArgument` for a path without a name; `noSuchItem`, `isNoFolder`.
    public static func place(
        _ path: String, of files: some ProvidedFiles
    ) async throws(FileFailure) -> (folder: ProvidedItem, name: String) {
        guard let name = path.split(separator: "/").last, !path.hasSuffix("/") else {
            throw FileFailure(.invalidArgument, "the path \(path) has no name")
        }
        return (try await item(String(path.dropLast(name.count)), of: files), String(name))
    }
}

extension ProvidedFiles {
    /// Reads a file, which stays on this machine meanwhile.
    ///
    /// - Parameters:
    ///   - identifier: the file's identifier.
    ///   - body: reads the descriptor, which is open for reading.
    /// - Throws: `FileFailure`, or the error of `body`.
    public func read<Value: Sendable>(
        _ identifier: String, _ body: @Sendable (Int32) throws -> Value
    ) async throws -> Value {
        let lease = try await open(identifier, forWriting: false)
        let result = Result { try body(lease.descriptor.raw) }
        try await lease.close()
        return try result.get()
    }

    /// Writes a file. The provider has got the change when this returns.
    ///
    /// - Parameters:
    ///   - identifier: the file's identifier.
    ///   - body: writes to the descriptor.
    /// - Throws: `FileFailure`, or the error of `body`.
    @discardableResult
    public func write<Value: Sendable>(
        _ identifier: String, _ body: @Sendable (Int32) throws -> Value
    ) async throws -> Value {
        let lease = try await open(identifier, forWriting: true)
        let result = Result { try body(lease.descriptor.raw) }
        lease.noteChange()
        try await lease.close()
        return try result.get()
    }
}
