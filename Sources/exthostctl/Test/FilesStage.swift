// FilesStage: the host of file providers of one test.

import ExtensionHost
import ExtensionHostTesting
import PointHosts
import Scenarios

/// The host of a provider's files, from its first step on. Its stores end with the test.
actor FilesStage {
    private let host: HostApplication
    private let identifier: String
    private let groupContainers: String?
    private var opening: Task<(FileProviderHost, ProviderFiles), any Error>?

    init(_ host: HostApplication, _ identifier: String, groupContainers: String?) {
        (self.host, self.identifier, self.groupContainers) = (host, identifier, groupContainers)
    }

    private func files() async throws -> ProviderFiles {
        let opening =
            opening
            ?? Task { [host, identifier, groupContainers] in
                let provider = try FileProviderHost(host, store: nil, groupContainers: groupContainers)
                try await provider.serve()
                return (provider, try await provider.files(of: identifier))
            }
        self.opening = opening
        return try await opening.value.1
    }

    /// Performs a step. A failure of the provider is its result.
    ///
    /// - Parameter folder: the folder to which the path of a file of this machine is relative.
    func perform(_ step: FilesStep, in folder: String) async throws -> FilesAnswer {
        do {
            let files = try await files()
            switch step {
            case .list(let path):
                let top = try await ProvidedPath.item(path, of: files)
                let items = try await files.items(in: top.identifier)
                return FilesAnswer(
                    result: .listed,
                    members: [
                        ("count", .integer(items.count)),
                        ("items", .array(items.map { FileProviderDriver.json($0) })),
                    ])
            case .read(let path):
                let item = try await ProvidedPath.item(path, of: files)
                let bytes = try await FileProviderDriver.contents(of: item, files)
                return FilesAnswer(
                    result: .read,
                    members: [
                        ("item", FileProviderDriver.json(item)),
                        ("contents", .string(String(decoding: bytes, as: UTF8.self))),
                    ])
            case .put(let file, let path):
                let source = file.hasPrefix("/") ? file : "\(folder)/\(file)"
                let item = try await FileProviderDriver.put(source, at: path, files)
                return FilesAnswer(result: .stored, members: [("item", FileProviderDriver.json(item))])
            case .remove(let path):
                let item = try await ProvidedPath.item(path, of: files)
                try await files.delete(item.identifier)
                return FilesAnswer(result: .removed, members: [("item", FileProviderDriver.json(item))])
            }
        } catch let failure as FileFailure {
            return FilesAnswer(
                result: failure.code == .timedOut ? .timedOut : .failed,
                members: [("reason", .string(failure.reason)), ("error", .string("\(failure.code)"))],
                why: failure.reason)
        }
    }
}

/// The result of a step with files, for scenarios.
struct FilesAnswer: Sendable {
    let result: PointResult
    let members: [(name: String, value: JSON)]
    var why: String?
}
