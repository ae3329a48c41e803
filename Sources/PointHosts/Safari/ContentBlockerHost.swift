// ContentBlockerHost: a browser with the content blockers of its user.

public import ContentRules
internal import Dispatch
public import ExtensionHost
internal import ExtensionItems
internal import ExtensionProtocol
internal import Foundation
internal import LinuxSystem

/// Asks content blockers for their lists, and keeps the last good list of each.
///
/// A list of any size or form does no harm: its reading and its decisions are bounded in bytes and steps.
public actor ContentBlockerHost {
    /// The extension point of content blockers.
    public static let point = "com.apple.Safari.content-blocker"
    /// The name of the user's consent without which a blocker has no effect.
    public static let consent = "enabled"
    /// The type of a list.
    private static let listType = "public.json"

    let host: HostApplication
    private let limits: RuleLimits
    private let suffixes: PublicSuffixList
    private var lists: [String: RuleList] = [:]
    /// The reload that each list is of. A later reload may end before an earlier one.
    private var reloads: [String: Int] = [:]
    private var count = 0

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - limits: the limits of a list.
    ///   - suffixes: the public suffixes, for `load-type`; by default those of the machine.
    public init(
        _ host: HostApplication, limits: RuleLimits = RuleLimits(), suffixes: PublicSuffixList = .ofMachine
    ) {
        (self.host, self.limits, self.suffixes) = (host, limits, suffixes)
    }

    /// Asks a blocker for its list, and compiles it. The list replaces the blocker's last one if it compiles.
    ///
    /// - Parameters:
    ///   - identifier: the blocker.
    ///   - app: the folder of the app that asks, which must contain the blocker; nil: the host asks for itself.
    /// - Returns: the list.
    /// - Throws: `NSError` with a domain and code of `ContentBlockerError`: `noExtensionFound`; `noAttachmentFound`
    ///   without an attachment of type `public.json` that can be loaded; `loadingInterrupted` if the request did not
    ///   complete; `compileFailed`. `ExtensionHostError` `connectionLost`.
    @discardableResult
    public func reload(_ identifier: String, for app: String? = nil) async throws -> RuleList {
        try await check(identifier, isOf: app)
        count += 1
        let number = count
        let list = try await compiled(try await bytes(of: identifier))
        guard !Task.isCancelled else {
            throw ContentBlockerError.error(.loadingInterrupted, "the reload was cancelled")
        }
        if number > reloads[identifier] ?? 0 {
            (lists[identifier], reloads[identifier]) = (list, number)
        }
        return list
    }

    /// Checks that a content blocker exists, and that it is in an app if one is named.
    func check(_ identifier: String, isOf app: String?) async throws {
        let found = try await host.extensions().first { $0.identifier == identifier && $0.point == Self.point }
        guard let found, app == nil || app == found.containingApp else {
            let owner = found == nil ? "there is no content blocker \(identifier)" : "\(identifier) is another app's"
            throw ContentBlockerError.error(.noExtensionFound, owner)
        }
    }

    /// Returns the last good list of a blocker; nil before the first.
    public func rules(of identifier: String) -> RuleList? { lists[identifier] }

    /// Whether the user has switched a blocker on.
    ///
    /// - Throws: `ExtensionHostError` `noSuchExtension`, `connectionLost`.
    public func isEnabled(_ identifier: String) async throws -> Bool {
        try await host.consents(of: identifier).contains(Self.consent)
    }

    /// Returns what each blocker that is switched on, and has a list, does with a load. Each decides by itself; the load
    /// is blocked if one blocks it. The list of a blocker that was removed is dropped.
    ///
    /// - Parameter load: the load.
    /// - Throws: `ExtensionHostError` `connectionLost`.
    public func decisions(for load: ContentLoad) async throws -> BlockerDecisions {
        var decisions: [String: Decision] = [:]
        var undecided: Set<String> = []
        for (identifier, list) in lists {
            do {
                guard try await isEnabled(identifier) else { continue }
            } catch let error as ExtensionHostError where error.code == .noSuchExtension {
                lists[identifier] = nil
                continue
            }
            do { decisions[identifier] = try list.decision(for: load) } catch { undecided.insert(identifier) }
        }
        return BlockerDecisions(byBlocker: decisions, undecided: undecided)
    }

    private func bytes(of identifier: String) async throws -> [UInt8] {
        let items: [NSExtensionItem]
        do {
            items = try await host.begin(identifier, items: []).completedItems()
        } catch let error as ExtensionHostError where error.code == .connectionLost {
            throw error
        } catch let error as ExtensionHostError where error.code == .noSuchExtension {
            throw ContentBlockerError.error(.noExtensionFound, error.message, underlying: error)
        } catch {
            throw ContentBlockerError.error(
                .loadingInterrupted, "\(identifier) returned no list: \(error)", underlying: error)
        }
        guard let attachment = items.first?.attachments?.first else {
            throw ContentBlockerError.error(.noAttachmentFound, "\(identifier) returned no item with an attachment")
        }
        guard attachment.hasItemConformingToTypeIdentifier(Self.listType) else {
            let types = attachment.registeredTypeIdentifiers.joined(separator: ", ")
            throw ContentBlockerError.error(
                .noAttachmentFound, "the attachment of \(identifier) is no \(Self.listType), but \(types)")
        }
        do {
            // One byte more tells a list that is too large.
            return try await attachment.loadPrefix(forTypeIdentifier: Self.listType, count: limits.bytes + 1)
        } catch {
            throw ContentBlockerError.error(
                Task.isCancelled ? .loadingInterrupted : .noAttachmentFound,
                "the attachment of \(identifier) cannot be loaded: \(error)", underlying: error)
        }
    }

    /// Compiles a list on another thread: a large one takes seconds.
    private func compiled(_ json: [UInt8]) async throws -> RuleList {
        let (limits, suffixes) = (limits, suffixes)
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: Result { () throws(RuleListError) in
                        try RuleList(json: json, limits: limits, suffixes: suffixes)
                    })
            }
        }
        do { return try result.get() } catch { throw ContentBlockerError.error(error) }
    }
}

/// The decisions of several blockers about one load.
public struct BlockerDecisions: Sendable {
    /// The decisions, by the blockers' identifiers.
    public let byBlocker: [String: Decision]
    /// The blockers whose lists needed too many steps. Their lists have no effect on the load.
    public let undecided: Set<String>

    /// Whether a blocker blocks the load.
    public var isBlocked: Bool { byBlocker.values.contains { $0.blocked != nil } }
    /// Whether a blocker keeps cookies from the load.
    public var blocksCookies: Bool { byBlocker.values.contains { $0.blockedCookies != nil } }
    /// The URL to which a blocker changes the load.
    public var upgraded: String? { byBlocker.values.lazy.compactMap { $0.upgraded?.url }.first }
    /// The selectors whose elements are hidden, by the blockers' identifiers in order.
    public var selectors: [String] {
        byBlocker.sorted { $0.key < $1.key }.flatMap { $0.value.hidden.map(\.selector) }
    }
}

extension PublicSuffixList {
    /// The list of the machine's package `publicsuffix`; without it a list without rules.
    public static let ofMachine: PublicSuffixList = {
        guard let bytes = try? readFile("/usr/share/publicsuffix/public_suffix_list.dat", maximumSize: 4 << 20) else {
            return PublicSuffixList()
        }
        return PublicSuffixList(String(decoding: bytes, as: UTF8.self))
    }()
}
