// ReplicatedCalls: the calls of a provider whose files the host stores.

import ExtensionPointKit
import ExtensionWire
import Foundation
import Glibc
import PointFrameworkKit
import PointMessages

/// The calls of an `NSFileProviderReplicatedExtension`, on the queue of the request.
struct ReplicatedCalls: @unchecked Sendable {
    // Unchecked: the queue of the request calls the author's object.
    private let provider: any NSObject & NSFileProviderReplicatedExtension
    private let session: PointSession

    init(_ provider: any NSObject & NSFileProviderReplicatedExtension, _ session: PointSession) {
        (self.provider, self.session) = (provider, session)
    }

    private var author: String { "\(type(of: provider))" }

    func perform(_ call: IncomingCall) async throws -> EncodedValue {
        let made = try await FileCalls.enumeration(call, session) {
            try provider.enumerator(for: $0, request: NSFileProviderRequest())
        }
        if let made { return made }
        switch call.name {
        case OpenFiles.name:
            return try FileCalls.encode(OpenFiles.Reply(isReplicated: true))
        case ItemForIdentifier.name:
            let identifier = NSFileProviderItemIdentifier(try call.decode(ItemForIdentifier.self).identifier)
            let item: FileItem = try await FileCalls.answer(
                of: "\(author).item(for:request:completionHandler:)", session
            ) { answer in
                provider.item(for: identifier, request: NSFileProviderRequest()) { item, error in
                    answer(FileCalls.result(item, error))
                }
            }
            return try FileCalls.encode(ItemForIdentifier.Reply(item))
        case FetchContents.name: return try FileCalls.encode(try await fetch(try call.decode(FetchContents.self)))
        case CreateItem.name: return try FileCalls.encode(try await create(try call.decode(CreateItem.self), call))
        case ModifyItem.name: return try FileCalls.encode(try await modify(try call.decode(ModifyItem.self), call))
        case DeleteItem.name: try await delete(try call.decode(DeleteItem.self))
        case FetchThumbnails.name:
            guard let maker = provider as? any NSObject & NSFileProviderThumbnailing else {
                throw ExtensionHostError(.notImplemented, "\(author) does not adopt NSFileProviderThumbnailing")
            }
            let author = ThumbnailMaker(maker: maker)
            let method = "\(self.author).fetchThumbnails(for:requestedSize:…)"
            return try await FileCalls.thumbnails(call, session, of: method) { identifiers, size, each, end in
                author.maker.fetchThumbnails(
                    for: identifiers, requestedSize: size, perThumbnailCompletionHandler: each,
                    completionHandler: end)
            }
        case ImportDidFinish.name:
            let _: Nothing = try await session.completion(of: "\(author).importDidFinish(completionHandler:)") {
                answer in provider.importDidFinish { answer(Nothing()) }
            }
        case MaterializedItemsDidChange.name:
            let _: Nothing = try await session.completion(
                of: "\(author).materializedItemsDidChange(completionHandler:)"
            ) { answer in provider.materializedItemsDidChange { answer(Nothing()) } }
        case EndFiles.name: break
        default: throw ExtensionHostError(.notImplemented, "a replicated provider has no \(call.name)")
        }
        return try FileCalls.encode(Nothing())
    }

    private struct ThumbnailMaker: @unchecked Sendable {
        let maker: any NSObject & NSFileProviderThumbnailing
    }

    private func fetch(_ message: FetchContents) async throws -> FetchContents.Reply {
        let version =
            message.contentVersion == nil && message.metadataVersion == nil
            ? nil : NSFileProviderItemVersion(message.contentVersion, message.metadataVersion)
        return try await FileCalls.answer(
            of: "\(author).fetchContents(for:version:request:completionHandler:)", session
        ) { answer in
            provider.fetchContents(
                for: NSFileProviderItemIdentifier(message.identifier), version: version,
                request: NSFileProviderRequest()
            ) { url, item, error in
                if let error { return answer(.failure(error)) }
                guard let url, let item else {
                    return answer(
                        .failure(
                            ExtensionHostError(.invalidArgument, "the handler got no file, no item and no error")))
                }
                do {
                    // The host takes the file over: it is gone once the handler returns.
                    let file = try PointFile(readingAt: url.path)
                    unlink(url.path)
                    answer(.success(FetchContents.Reply(FileItem(item), file: file)))
                } catch {
                    answer(.failure(error))
                }
            }
        }
    }

    private typealias ChangeHandler =
        @Sendable ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) -> Void

    private func changed(
        _ method: String, _ body: @Sendable (@escaping ChangeHandler) -> Progress
    ) async throws -> ChangedFileItem {
        try await FileCalls.answer(of: "\(author).\(method)", session) { answer in
            body { item, remaining, shouldFetch, error in
                if let error { return answer(.failure(error)) }
                answer(
                    .success(
                        ChangedFileItem(
                            item.map { FileItem($0) }, remaining: remaining.rawValue, shouldFetch: shouldFetch)))
            }
        }
    }

    private func create(_ message: CreateItem, _ call: IncomingCall) async throws -> ChangedFileItem {
        let url = try message.file.map { try session.lend($0, named: message.template.name, for: call) }
        return try await changed("createItem(basedOn:fields:contents:options:request:completionHandler:)") {
            provider.createItem(
                basedOn: HostItem(message.template), fields: NSFileProviderItemFields(rawValue: message.fields),
                contents: url, options: NSFileProviderCreateItemOptions(rawValue: message.options),
                request: NSFileProviderRequest(), completionHandler: $0)
        }
    }

    private func modify(_ message: ModifyItem, _ call: IncomingCall) async throws -> ChangedFileItem {
        let url = try message.file.map { try session.lend($0, named: message.item.name, for: call) }
        let method = "modifyItem(_:baseVersion:changedFields:contents:options:request:completionHandler:)"
        return try await changed(method) {
            provider.modifyItem(
                HostItem(message.item),
                baseVersion: NSFileProviderItemVersion(message.baseContentVersion, message.baseMetadataVersion),
                changedFields: NSFileProviderItemFields(rawValue: message.fields), contents: url,
                options: NSFileProviderModifyItemOptions(rawValue: message.options),
                request: NSFileProviderRequest(), completionHandler: $0)
        }
    }

    private func delete(_ message: DeleteItem) async throws {
        let _: Bool = try await FileCalls.answer(
            of: "\(author).deleteItem(identifier:baseVersion:options:request:completionHandler:)", session
        ) { answer in
            provider.deleteItem(
                identifier: NSFileProviderItemIdentifier(message.identifier),
                baseVersion: NSFileProviderItemVersion(message.baseContentVersion, message.baseMetadataVersion),
                options: NSFileProviderDeleteItemOptions(rawValue: message.options), request: NSFileProviderRequest()
            ) { error in answer(error.map { .failure($0) } ?? .success(true)) }
        }
    }
}
