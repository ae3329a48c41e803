// CallDirectoryHost: a telephone with the call directories of its user.

public import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import Foundation
internal import Locks
public import PointMessages

/// Loads the directories of extensions, keeps the last good one of each, and looks numbers up in them.
///
/// A directory of any size or order does no harm: its entries and labels are bounded, and its last good state stays after
/// a fault.
public actor CallDirectoryHost {
    /// The extension point of call directories.
    public static let point = "com.apple.callkit.call-directory"
    /// The name of the user's consent without which a directory has no effect.
    public static let consent = "enabled"

    /// The domain and codes of the errors of `reload(_:for:)`, which are objects of `NSError`.
    public typealias Fault = CallDirectoryFault

    let host: HostApplication
    let openSettings: (@Sendable (_ app: String) async throws -> Void)?
    private let limits: CallDirectory.Limits
    private var directories: [String: CallDirectory] = [:]
    /// The time in which an extension hears how its load has ended (ours).
    private static let endLimit = Duration.seconds(5)
    /// The directories that are being loaded.
    private var loading: Set<String> = []
    /// The directories whose last load has not failed.
    private var isWhole: Set<String> = []

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - limits: the limits of a directory.
    ///   - openSettings: shows the settings of the directories to the person, for an app in a folder. Without it an app's
    ///     request for them fails with `notSimulated`.
    public init(
        _ host: HostApplication, limits: CallDirectory.Limits = CallDirectory.Limits(),
        openSettings: (@Sendable (_ app: String) async throws -> Void)? = nil
    ) {
        (self.host, self.limits, self.openSettings) = (host, limits, openSettings)
    }

    /// Asks an extension for its directory. It takes the place of the last one if it has no fault.
    ///
    /// The first load of an extension, and the one after a failure, is not incremental.
    ///
    /// - Parameters:
    ///   - identifier: the extension.
    ///   - app: the folder of the app that asks, which must contain the extension, and whose extension the user must have
    ///     switched on; nil: the host asks for itself, as when the user switches it on.
    /// - Returns: the directory.
    /// - Throws: `NSError` with the domain and a code of `CallDirectoryFault`; `ExtensionHostError` `connectionLost`.
    @discardableResult
    public func reload(_ identifier: String, for app: String? = nil) async throws -> CallDirectory {
        try await check(identifier, isOf: app)
        if app != nil, try await !isEnabled(identifier) {
            throw Self.error(.extensionDisabled, "the user has not switched \(identifier) on")
        }
        guard loading.insert(identifier).inserted else {
            throw Self.error(.currentlyLoading, "\(identifier) is being loaded")
        }
        defer { loading.remove(identifier) }
        let isIncremental = isWhole.contains(identifier) && directories[identifier] != nil
        isWhole.remove(identifier)
        let load = CallDirectory.Load(of: directories[identifier], isIncremental: isIncremental, limits)
        let directory = try await loaded(identifier, load, isIncremental: isIncremental)
        directories[identifier] = directory
        isWhole.insert(identifier)
        return directory
    }

    private func loaded(
        _ identifier: String, _ load: CallDirectory.Load, isIncremental: Bool
    ) async throws -> CallDirectory {
        let entries = ReceivedEntries(load)
        var handlers = PointHandlers()
        handlers.on(CallDirectoryEntries.self) { batch, _ in
            entries.take(batch)
            return Nothing()
        }
        let request: ExtensionRequest
        do {
            request = try await host.begin(identifier, items: [], handling: handlers)
        } catch let error as ExtensionHostError where error.code == .noSuchExtension {
            throw Self.error(.noExtensionFound, error.message, underlying: error)
        }
        do {
            try await request.call(LoadCallDirectory(isIncremental: isIncremental))
        } catch let error as ExtensionHostError where error.code == .connectionLost {
            throw error
        } catch {
            try? await request.cancel()
            throw Self.error(
                .loadingInterrupted, "\(identifier) has not given its directory: \(error)", underlying: error)
        }
        switch entries.finish() {
        case .success(let directory):
            // The directory counts, whatever becomes of the request afterwards.
            do { try await request.call(EndCallDirectory(), limit: Self.endLimit) } catch {
                try? await request.cancel()
            }
            return directory
        case .failure(let failure):
            do {
                try await request.call(
                    EndCallDirectory(failure: failure.fault.rawValue, reason: failure.reason), limit: Self.endLimit)
            } catch {
                try? await request.cancel()
            }
            throw Self.error(failure.fault, failure.reason)
        }
    }

    /// Checks that a call directory exists, and that it is in an app if one is named.
    func check(_ identifier: String, isOf app: String?) async throws {
        let found = try await host.extensions().first { $0.identifier == identifier && $0.point == Self.point }
        if found == nil { forget(identifier) }
        guard let found, app == nil || app == found.containingApp else {
            let owner = found == nil ? "there is no call directory \(identifier)" : "\(identifier) is another app's"
            throw Self.error(.noExtensionFound, owner)
        }
    }

    /// Drops the directory of an extension that was removed, unless it is being loaded again.
    private func forget(_ identifier: String) {
        guard !loading.contains(identifier) else { return }
        directories[identifier] = nil
        isWhole.remove(identifier)
    }

    /// Returns the last good directory of an extension; nil before the first.
    public func directory(of identifier: String) -> CallDirectory? { directories[identifier] }

    /// Whether the user has switched a directory on.
    ///
    /// - Throws: `ExtensionHostError` `noSuchExtension`, `connectionLost`.
    public func isEnabled(_ identifier: String) async throws -> Bool {
        try await host.consents(of: identifier).contains(Self.consent)
    }

    /// Looks a number up in the directories that are switched on. A directory of an extension that was removed is dropped.
    ///
    /// - Parameter number: the code of the country, and then the digits.
    /// - Returns: the entries, by the identifiers of the extensions that have one. A call is refused if one refuses it.
    /// - Throws: `ExtensionHostError` `connectionLost`.
    public func lookup(_ number: Int64) async throws -> [String: CallDirectory.Entry] {
        var found: [String: CallDirectory.Entry] = [:]
        for (identifier, directory) in directories {
            do {
                guard try await isEnabled(identifier) else { continue }
            } catch let error as ExtensionHostError where error.code == .noSuchExtension {
                forget(identifier)
                continue
            }
            found[identifier] = directory[number]
        }
        return found
    }

    /// Reads a number as people write it: digits, with `+`, spaces, dots, hyphens and parentheses between them.
    ///
    /// - Returns: nil for another text, and for more digits than a number has.
    public static func number(_ text: String) -> Int64? {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber || "+ -.()".contains($0) }) else { return nil }
        return Int64(text.filter(\.isNumber))
    }

    static func error(_ fault: Fault, _ reason: String, underlying: (any Error)? = nil) -> NSError {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: reason]
        if let underlying { userInfo[NSUnderlyingErrorKey] = underlying as NSError }
        return NSError(domain: Fault.domain, code: fault.rawValue, userInfo: userInfo)
    }
}

/// The entries of one load. After a fault the others are dropped.
private final class ReceivedEntries: Sendable {
    private let state: Mutex<(load: CallDirectory.Load?, failure: CallDirectoryFailure?)>

    init(_ load: CallDirectory.Load) { state = Mutex((load, nil)) }

    func take(_ entries: CallDirectoryEntries) {
        state.withLock { state in
            do throws(CallDirectoryFailure) {
                try state.load?.take(entries)
            } catch {
                state = (nil, error)
            }
        }
    }

    func finish() -> Result<CallDirectory, CallDirectoryFailure> {
        state.withLock { state in
            defer { state.load = nil }
            if let failure = state.failure { return .failure(failure) }
            do throws(CallDirectoryFailure) {
                return .success(try state.load?.finished() ?? CallDirectory())
            } catch {
                return .failure(error)
            }
        }
    }
}
