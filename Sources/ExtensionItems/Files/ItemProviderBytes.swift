// ItemProviderBytes: the loading of bytes whose number has a bound.

internal import Foundation
internal import LinuxDescriptors

extension NSItemProvider {
    /// Loads the first bytes of the best match for a type. Cancelling the task cancels the load.
    ///
    /// - Parameters:
    ///   - typeIdentifier: the type.
    ///   - count: the greatest number of bytes; more are left out.
    /// - Throws: an `NSItemProvider` error, `itemUnavailableError` for a value that cannot be loaded.
    package func loadPrefix(forTypeIdentifier typeIdentifier: String, count: Int) async throws -> [UInt8] {
        let isHandled = isHandled(typeIdentifier)
        let loaded = try await load { answer in
            startLoad(
                typeIdentifier, LoadRequest(form: .data, expectedClass: NSData.self),
                conversion: { value, _ in
                    switch try fileValue(of: value, typeIdentifier: typeIdentifier, isHandled: isHandled) {
                    case .opened(let file): return try file.prefix(count) as NSData
                    case .data(let data): return data.prefix(count) as NSData
                    }
                }, answer: answer)
        }
        return Array(loaded.value as? Data ?? Data())
    }
}

extension OpenedFile {
    /// Returns a copy of the first bytes.
    fileprivate func prefix(_ count: Int) throws -> Data {
        try checkWritten()
        var data = Data(count: min(count, status.size))
        let read = try data.withUnsafeMutableBytes { try readFile(descriptor.raw, into: $0) }
        data.removeLast(data.count - read)
        return data
    }
}
