// NSFileProviderManager: the calls of an app or its provider to the host of its files.

public import ExtensionPointKit
import ExtensionWire
public import Foundation
import PointMessages

/// The way of an app, and of its provider, to the host of files.
///
/// Safe to use from any thread. Handlers run on any thread, once.
public final class NSFileProviderManager: NSObject, Sendable {
    private let domain: String

    /// The manager of a provider that has no domains.
    public static let `default` = NSFileProviderManager(domain: "")

    private init(domain: String) { self.domain = domain }

    /// Makes the manager of a domain.
    public init?(for domain: NSFileProviderDomain) { self.domain = domain.identifier.rawValue }

    /// The folder of the files of a provider that has a document storage.
    public var documentStorageURL: URL { DocumentStorage.url }

    /// The identifier of the provider: of the extension's bundle.
    public var providerIdentifier: String { Bundle.main.bundleIdentifier ?? "" }

    /// Returns a folder for files that the host takes over.
    public func temporaryDirectoryURL() throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("FileProvider", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    /// Calls the handler with the error of `body`.
    private static func perform(
        _ completionHandler: @escaping @Sendable ((any Error)?) -> Void,
        _ body: @escaping @Sendable () async throws -> Void
    ) {
        Task {
            do {
                try await body()
                completionHandler(nil)
            } catch {
                completionHandler(error)
            }
        }
    }

    // MARK: Changes

    /// Tells the host that the items of a container have changed. It then asks for the changes.
    public func signalEnumerator(for containerItemIdentifier: NSFileProviderItemIdentifier) async throws {
        _ = try await FilesClient.shared.call(
            SignalEnumerator(domain: domain, container: containerItemIdentifier.rawValue))
    }

    /// Tells the host likewise. The handler gets the error.
    public func signalEnumerator(
        for containerItemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.perform(completionHandler) { [self] in try await signalEnumerator(for: containerItemIdentifier) }
    }

    /// Tells the host that the reason of an error is over. It stores what waits.
    public func signalErrorResolved(_ error: any Error) async throws {
        _ = try await FilesClient.shared.call(SignalErrorResolved(domain: domain, code: (error as NSError).code))
    }

    /// Tells the host likewise. The handler gets the error.
    public func signalErrorResolved(
        _ error: any Error, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.perform(completionHandler) { [self] in try await signalErrorResolved(error) }
    }

    /// Removes the contents of an item from this machine.
    public func evictItem(identifier itemIdentifier: NSFileProviderItemIdentifier) async throws {
        _ = try await FilesClient.shared.call(EvictItem(domain: domain, identifier: itemIdentifier.rawValue))
    }

    /// Removes the contents likewise. The handler gets the error.
    public func evictItem(
        identifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.perform(completionHandler) { [self] in try await evictItem(identifier: itemIdentifier) }
    }

    /// Ties a task of a background session to an item. The host shows the item as downloading or uploading until the
    /// task has ended.
    ///
    /// Register the task before it is resumed. A later task of the same item takes the place of the earlier one.
    ///
    /// - Parameters:
    ///   - task: a `URLSessionTask` of the product `BackgroundTransfers`.
    ///   - itemIdentifier: the item.
    /// - Throws: `ExtensionHostError` `invalidArgument` for a task that has been resumed, or that ends with its process;
    ///   `quotaExceeded` if the app has a thousand registered tasks; `NSFileProviderError` `providerNotFound` if no host
    ///   keeps files.
    public func register(
        _ task: some BackgroundTransferTask, forItemWithIdentifier itemIdentifier: NSFileProviderItemIdentifier
    ) async throws {
        guard let transfer = task.backgroundTransfer else {
            throw ExtensionHostError(
                .invalidArgument, "the task ends with its process, so the host cannot follow it",
                remedy: "Make it in a session with URLSessionConfiguration.background(withIdentifier:)")
        }
        guard task.isSuspended else {
            throw ExtensionHostError(
                .invalidArgument, "the task \(transfer.task) of \(transfer.session) has been resumed already",
                remedy: "Register the task first, and resume it in the completion handler")
        }
        _ = try await FilesClient.shared.call(
            RegisterTransfer(domain: domain, identifier: itemIdentifier.rawValue, transfer: transfer))
    }

    /// Ties a task likewise. The handler gets the error.
    public func register(
        _ task: some BackgroundTransferTask, forItemWithIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.perform(completion) { [self] in try await register(task, forItemWithIdentifier: itemIdentifier) }
    }

    /// Has no effect but a signal: the host enumerates the container anew.
    public func reimportItems(below itemIdentifier: NSFileProviderItemIdentifier) async throws {
        try await signalEnumerator(for: itemIdentifier)
    }

    /// The path of an item in a mounted folder.
    ///
    /// - Throws: `ExtensionHostError` `notSimulated`: a mounted folder's place is known to who mounted it.
    public func getUserVisibleURL(for itemIdentifier: NSFileProviderItemIdentifier) async throws -> URL {
        throw ExtensionHostError(
            .notSimulated, "the place of an item in a mounted folder is not known here",
            remedy: "Ask the program that mounted the folder")
    }

    // MARK: Domains

    /// Adds a domain of this app, or changes it.
    public static func add(_ domain: NSFileProviderDomain) async throws {
        _ = try await FilesClient.shared.call(AddFileDomain(domain.coded))
    }

    /// Adds a domain likewise. The handler gets the error.
    public static func add(
        _ domain: NSFileProviderDomain, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        perform(completionHandler) { try await add(domain) }
    }

    /// Removes a domain of this app, with the files that the host has stored for it.
    public static func remove(_ domain: NSFileProviderDomain) async throws {
        _ = try await FilesClient.shared.call(RemoveFileDomain(domain.identifier.rawValue))
    }

    /// Removes a domain likewise. The handler gets the error.
    public static func remove(
        _ domain: NSFileProviderDomain, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        perform(completionHandler) { try await remove(domain) }
    }

    /// Removes all domains of this app.
    public static func removeAllDomains() async throws {
        for domain in try await domains() { try await remove(domain) }
    }

    /// Removes all domains likewise. The handler gets the error.
    public static func removeAllDomains(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        perform(completionHandler) { try await removeAllDomains() }
    }

    /// The domains of this app.
    public static func domains() async throws -> [NSFileProviderDomain] {
        try await FilesClient.shared.call(FileDomains()).domains.map { NSFileProviderDomain($0) }
    }

    /// Finds the domains of this app.
    public static func getDomainsWithCompletionHandler(
        _ completionHandler: @escaping @Sendable ([NSFileProviderDomain], (any Error)?) -> Void
    ) {
        Task {
            do {
                completionHandler(try await domains(), nil)
            } catch {
                completionHandler([], error)
            }
        }
    }

    // MARK: Placeholders

    /// Returns the place of a file's placeholder: `.NAME.icloud` beside it.
    public class func placeholderURL(for url: URL) -> URL { NSFileProviderExtension.placeholderURL(for: url) }

    /// Writes a placeholder of an item: a property list with the name, the size and the type.
    public class func writePlaceholder(at placeholderURL: URL, withMetadata metadata: any NSFileProviderItem) throws {
        try Placeholder.write(
            at: placeholderURL, name: metadata.filename, size: metadata.documentSize?.intValue,
            type: metadata.contentType.identifier)
    }
}
