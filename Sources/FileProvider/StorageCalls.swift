// StorageCalls: the calls of a provider that keeps its files in the document storage.

import ExtensionPointKit
import ExtensionWire
import Foundation
import PointFrameworkKit
import PointMessages

/// The calls of an `NSFileProviderExtension`, on the queue of the request.
struct StorageCalls: @unchecked Sendable {
    // Unchecked: the queue of the request calls the author's object.
    private let provider: NSFileProviderExtension
    private let session: PointSession

    init(_ provider: NSFileProviderExtension, _ session: PointSession) {
        (self.provider, self.session) = (provider, session)
    }

    private var author: String { "\(type(of: provider))" }

    func perform(_ call: IncomingCall) async throws -> EncodedValue {
        if let reply = try await FileCalls.enumeration(call, session, make: { try provider.enumerator(for: $0) }) {
            return reply
        }
        switch call.name {
        case OpenFiles.name:
            return try FileCalls.encode(OpenFiles.Reply(isReplicated: false))
        case ItemForIdentifier.name:
            let identifier = try call.decode(ItemForIdentifier.self).identifier
            return try FileCalls.encode(
                ItemForIdentifier.Reply(FileItem(try provider.item(for: NSFileProviderItemIdentifier(identifier)))))
        case URLForItem.name:
            let identifier = try call.decode(URLForItem.self).identifier
            let url = provider.urlForItem(withPersistentIdentifier: NSFileProviderItemIdentifier(identifier))
            return try FileCalls.encode(URLForItem.Reply(try url.map { try path(of: $0) }))
        case IdentifierForURL.name:
            let url = DocumentStorage.url(of: try call.decode(IdentifierForURL.self).path)
            return try FileCalls.encode(
                IdentifierForURL.Reply(provider.persistentIdentifierForItem(at: url)?.rawValue))
        case ProvidePlaceholder.name:
            let url = DocumentStorage.url(of: try call.decode(ProvidePlaceholder.self).path)
            try await done("providePlaceholder(at:completionHandler:)") { handler in
                provider.providePlaceholder(at: url, completionHandler: handler)
            }
        case StartProvidingItem.name:
            let url = DocumentStorage.url(of: try call.decode(StartProvidingItem.self).path)
            try await done("startProvidingItem(at:completionHandler:)") { handler in
                provider.startProvidingItem(at: url, completionHandler: handler)
            }
        case ItemChanged.name:
            provider.itemChanged(at: DocumentStorage.url(of: try call.decode(ItemChanged.self).path))
        case StopProvidingItem.name:
            provider.stopProvidingItem(at: DocumentStorage.url(of: try call.decode(StopProvidingItem.self).path))
        case PerformFileAction.name:
            return try FileCalls.encode(
                PerformFileAction.Reply(try await perform(try call.decode(PerformFileAction.self), call)))
        case FetchThumbnails.name:
            let method = "\(author).fetchThumbnails(for:requestedSize:perThumbnailCompletionHandler:completionHandler:)"
            return try await FileCalls.thumbnails(call, session, of: method) { identifiers, size, each, end in
                provider.fetchThumbnails(
                    for: identifiers, requestedSize: size, perThumbnailCompletionHandler: each,
                    completionHandler: end)
            }
        case EndFiles.name: break
        default: throw ExtensionHostError(.notImplemented, "a provider with a document storage has no \(call.name)")
        }
        return try FileCalls.encode(Nothing())
    }

    /// Returns the path of the author's URL below the document storage.
    private func path(of url: URL) throws -> String {
        if let path = DocumentStorage.path(of: url) { return path }
        session.report("\(author).urlForItem(withPersistentIdentifier:) returned a URL outside of documentStorageURL")
        throw ExtensionHostError(
            .invalidArgument, "the place of the item is outside of the document storage",
            remedy: "Return a URL below documentStorageURL")
    }

    private func done(
        _ method: String, _ body: @Sendable (@escaping @Sendable ((any Error)?) -> Void) -> Void
    ) async throws {
        let _: Bool = try await FileCalls.answer(of: "\(author).\(method)", session) { answer in
            body { error in answer(error.map { .failure($0) } ?? .success(true)) }
            return nil
        }
    }

    private func item(
        _ method: String, _ body: @Sendable (@escaping NSFileProviderExtension.ItemHandler) -> Void
    ) async throws -> FileItem {
        try await FileCalls.answer(of: "\(author).\(method)", session) { answer in
            body { item, error in answer(FileCalls.result(item, error)) }
            return nil
        }
    }

    private func perform(_ message: PerformFileAction, _ call: IncomingCall) async throws -> FileItem? {
        let identifier = NSFileProviderItemIdentifier(message.identifier)
        let parent = message.parent.map { NSFileProviderItemIdentifier($0) }
        let name = message.name
        switch message.action {
        case .importDocument:
            guard let file = message.file else { throw Self.lacks("a file") }
            let url = try session.lend(file, named: name ?? "document", for: call)
            return try await item("importDocument(at:toParentItemIdentifier:completionHandler:)") {
                provider.importDocument(at: url, toParentItemIdentifier: identifier, completionHandler: $0)
            }
        case .createDirectory:
            guard let name else { throw Self.lacks("a name") }
            return try await item("createDirectory(withName:inParentItemIdentifier:completionHandler:)") {
                provider.createDirectory(
                    withName: name, inParentItemIdentifier: identifier, completionHandler: $0)
            }
        case .rename:
            guard let name else { throw Self.lacks("a name") }
            return try await item("renameItem(withIdentifier:toName:completionHandler:)") {
                provider.renameItem(withIdentifier: identifier, toName: name, completionHandler: $0)
            }
        case .reparent:
            guard let parent else { throw Self.lacks("a folder") }
            return try await item("reparentItem(withIdentifier:toParentItemWithIdentifier:newName:completionHandler:)")
            {
                provider.reparentItem(
                    withIdentifier: identifier, toParentItemWithIdentifier: parent, newName: name,
                    completionHandler: $0)
            }
        case .trash:
            return try await item("trashItem(withIdentifier:completionHandler:)") {
                provider.trashItem(withIdentifier: identifier, completionHandler: $0)
            }
        case .untrash:
            return try await item("untrashItem(withIdentifier:toParentItemIdentifier:completionHandler:)") {
                provider.untrashItem(
                    withIdentifier: identifier, toParentItemIdentifier: parent, completionHandler: $0)
            }
        case .delete:
            try await done("deleteItem(withIdentifier:completionHandler:)") {
                provider.deleteItem(withIdentifier: identifier, completionHandler: $0)
            }
            return nil
        case .setLastUsedDate:
            let date = message.date.map { Date(timeIntervalSince1970: $0) }
            return try await item("setLastUsedDate(_:forItemIdentifier:completionHandler:)") {
                provider.setLastUsedDate(date, forItemIdentifier: identifier, completionHandler: $0)
            }
        case .setTagData:
            let tags = message.tags.map { Data($0) }
            return try await item("setTagData(_:forItemIdentifier:completionHandler:)") {
                provider.setTagData(tags, forItemIdentifier: identifier, completionHandler: $0)
            }
        case .setFavoriteRank:
            let rank = message.rank
            return try await item("setFavoriteRank(_:forItemIdentifier:completionHandler:)") {
                provider.setFavoriteRank(
                    rank.map { NSNumber(value: $0) }, forItemIdentifier: identifier, completionHandler: $0)
            }
        case .unrecognized: throw ExtensionHostError(.notImplemented, "this kit does not know the action")
        }
    }

    private static func lacks(_ what: String) -> ExtensionHostError {
        ExtensionHostError(.invalidArgument, "the action lacks \(what)")
    }
}
