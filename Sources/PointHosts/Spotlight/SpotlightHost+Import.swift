// SpotlightHost+Import: files whose attributes an import extension reads for the index.

public import ExtensionHost
internal import ExtensionPointKit
internal import Foundation
internal import PointMessages
public import PropertyListCoding
internal import SpotlightStore

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
            /// The call failed, or the index does not take the attributes.
            case failed(CallFailure)
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
        let subject = try SubjectFile(path, type: type)
        let supported = try await host.attributes(of: identifier)[Self.supportedTypes]?.array ?? []
        guard subject.conforms(to: supported.compactMap(\.string)) else {
            return Import(type: subject.type, ending: .typeNotSupported, attributes: [:], request: nil)
        }
        let request = try await host.begin(identifier, items: [])
        let item: SpotlightItem
        do {
            item = try await request.call(ImportFile(fileName: subject.name, type: subject.type, file: subject.file))
                .item
            try await request.end(with: EndImport())
        } catch {
            let failure = try await CallFailure(error, request)
            return Import(type: subject.type, ending: .failed(failure), attributes: [:], request: request)
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
            return Import(type: subject.type, ending: .failed(.failed(failure)), attributes: [:], request: request)
        }
        return Import(type: subject.type, ending: .imported, attributes: indexed.attributes, request: request)
    }
}
