// SpotlightHost+Import: files whose attributes an import extension reads for the index.

public import ExtensionHost
internal import ExtensionPointKit
public import Foundation
internal import LinuxDescriptors
internal import PointMessages
public import PropertyListCoding
internal import SpotlightStore
internal import UniformTypeIdentifiers

extension SpotlightHost {
    /// The extension point of import extensions.
    public static let importPoint = "com.apple.spotlight.import"
    /// The attribute of an import extension that lists the types of its files.
    public static let supportedTypes = "CSSupportedContentTypes"

    /// The end of an import.
    public struct Import: Sendable {
        /// The way in which it ended.
        public enum Ending: Sendable {
            /// The index has the attributes.
            case imported
            /// The extension does not list the file's type, nor a type to which it conforms. It was not asked.
            case typeNotSupported
            /// The extension did not return in time.
            case timedOut
            /// The extension's process ended, or the request did otherwise.
            case interrupted(Cause?)
            /// The author's code has thrown this error.
            case thrown(NSError)
            /// The call failed, or the index does not take the attributes.
            case failed(ExtensionHostError)
        }

        /// The uniform type identifier of the file.
        public let type: String
        /// The way in which the import ended.
        public let ending: Ending
        /// The attributes by name; empty unless they were imported.
        public let attributes: PropertyListDictionary
        /// The request; nil if the extension was not asked.
        public let request: ExtensionRequest?
    }

    /// Asks an import extension for the attributes of a file, and stores them in the index.
    ///
    /// The item's identifier is the path. An item of the same path is replaced. A request without an answer is cancelled.
    ///
    /// - Parameters:
    ///   - path: the path of a regular file, which is opened once.
    ///   - type: the uniform type identifier of the file; nil: that of the file name's extension.
    ///   - identifier: the import extension.
    /// - Throws: `SystemError` if the file cannot be opened; `ExtensionHostError` `noSuchExtension`, `invalidArgument` for
    ///   a file that is not regular, `connectionLost`; `CocoaError.userCancelled` after the task was cancelled.
    public func importFile(at path: String, type: String? = nil, by identifier: String) async throws -> Import {
        let found = try await host.extensions().first {
            $0.identifier == identifier && $0.point == Self.importPoint
        }
        guard let found else {
            throw ExtensionHostError(.noSuchExtension, "there is no import extension \(identifier)")
        }
        let file = try PointFile(readingAt: path)
        guard try FileStatus(of: file.descriptor.raw).isRegular else {
            throw ExtensionHostError(.invalidArgument, "\(path) is not a regular file", remedy: "Name a file")
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let type = type ?? Self.type(ofFileNamed: name)
        let supported = try await host.attributes(of: identifier)[Self.supportedTypes]?.array?.compactMap(\.string)
        guard let supported, supported.contains(where: { TypeTable.current.conforms(type, to: $0) }) else {
            return Import(type: type, ending: .typeNotSupported, attributes: [:], request: nil)
        }
        let request = try await host.begin(identifier, items: [])
        let item: SpotlightItem
        do {
            item = try await request.call(ImportFile(fileName: name, type: type, file: file)).item
            _ = try? await request.call(EndImport())
        } catch {
            let ending = try await Self.ending(error, request)
            return Import(type: type, ending: ending, attributes: [:], request: request)
        }
        var indexed = IndexedItem(item)
        // The path tells one file from another. The extension has a copy, and sees the name only.
        (indexed.identifier, indexed.isUpdate) = (path, false)
        let (change, family, now) = (IndexChange.put([indexed]), await family(of: found), now)
        do {
            let effect = try await index.use { store throws(SpotlightStoreError) in
                try store.apply([change], of: family, now: now)
            }
            count(effect, of: family)
        } catch {
            let failure = ExtensionHostError(.invalidArgument, (error as NSError).localizedDescription)
            return Import(type: type, ending: .failed(failure), attributes: [:], request: request)
        }
        return Import(type: type, ending: .imported, attributes: indexed.attributes, request: request)
    }

    private static func type(ofFileNamed name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "public.data" }
        return UTType(filenameExtension: String(name[name.index(after: dot)...]))?.identifier ?? "public.data"
    }

    /// Returns the ending for the error of the call, and ends the request.
    private static func ending(_ error: any Error, _ request: ExtensionRequest) async throws -> Import.Ending {
        guard let known = error as? ExtensionHostError else {
            try? await request.cancel()
            if error is CancellationError || (error as? CocoaError)?.code == .userCancelled { throw error }
            return .thrown(error as NSError)
        }
        switch known.code {
        case .interrupted, .contextFinished, .noSuchRequest:
            // The principal class may be unsuitable.
            if case .cancelled(_, let reason) = await request.outcome, let fault = ExtensionHostError(crossed: reason) {
                return .failed(fault)
            }
            return .interrupted(await request.outcome.cause)
        case .connectionLost: throw known
        default:
            try? await request.cancel()
            return known.code == .timedOut ? .timedOut : .failed(known)
        }
    }
}
