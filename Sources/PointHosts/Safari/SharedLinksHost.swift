// SharedLinksHost: a browser that lists the links of shared links extensions.

public import ExtensionHost
internal import ExtensionItems
internal import ExtensionProtocol
public import Foundation

/// Asks shared links extensions for their links.
public struct SharedLinksHost: Sendable {
    /// The extension point of shared links.
    public static let point = "com.apple.Safari.sharedlinks-service"

    /// A link that an extension shares.
    public struct Link: Sendable {
        /// The extension.
        public let source: String
        /// The identifier of the link in its extension.
        public let identifier: String
        /// The address of the link.
        public let url: URL
        /// The time of the link, by which links are sorted.
        public let date: Date
        /// The name of the person or the service that shares it.
        public let displayName: String?
        /// The title of the link; nil if it has none.
        public let title: String?
        /// The text about the link; nil if it has none.
        public let text: String?
        /// The image of the link.
        public let image: NSItemProvider?
    }

    /// The links, the newest first, and what is wrong with others, in words.
    public struct Links: Sendable {
        /// The links, the newest first.
        public internal(set) var links: [Link] = []
        /// The items that are left out, and the extensions that returned none, each with its reason.
        public internal(set) var remarks: [String] = []
    }

    private let host: HostApplication

    /// - Parameter host: the host's connection.
    public init(_ host: HostApplication) { self.host = host }

    /// Asks all extensions, eight at a time. One that does not answer is a remark.
    ///
    /// - Throws: `ExtensionHostError` `connectionLost`; `CancellationError`.
    public func links() async throws -> Links {
        var waiting = try await host.extensions().filter { $0.point == Self.point }.map(\.identifier)[...]
        var answers: [String: Links] = [:]
        try await withThrowingTaskGroup(of: (String, Links).self) { group in
            func askNext() {
                guard let identifier = waiting.popFirst() else { return }
                group.addTask { (identifier, try await answer(of: identifier)) }
            }
            for _ in 0..<Self.mostAtOnce { askNext() }
            while let (identifier, links) = try await group.next() {
                answers[identifier] = links
                askNext()
            }
        }
        var all = Links()
        for (_, links) in answers.sorted(by: { $0.key < $1.key }) {
            all.links += links.links
            all.remarks += links.remarks
        }
        all.links = Self.sorted(all.links)
        return all
    }

    /// The most extensions that are asked at one time.
    private static let mostAtOnce = 8

    /// Asks one extension. A failure of it is a remark.
    private func answer(of identifier: String) async throws -> Links {
        try Task.checkCancellation()
        do {
            return try await links(of: identifier)
        } catch let error as ExtensionHostError where error.code == .connectionLost {
            throw error
        } catch {
            return Links(remarks: ["\(identifier) returned no links: \(error)"])
        }
    }

    /// Asks one extension.
    ///
    /// - Parameter identifier: the extension.
    /// - Throws: the extension's error if it cancels; `ExtensionHostError` of `HostApplication.begin`, or with the reason
    ///   of another end of the request.
    public func links(of identifier: String) async throws -> Links {
        let items = try await host.begin(identifier, items: []).completedItems()
        var result = Links()
        var newest: [String: Link] = [:]
        for (index, item) in items.enumerated() {
            guard let link = Self.link(item, identifier, index + 1, &result.remarks) else { continue }
            if let known = newest[link.identifier] {
                result.remarks.append(
                    "\(identifier): two items have the identifier \(link.identifier); the later date counts")
                if known.date >= link.date { continue }
            }
            newest[link.identifier] = link
        }
        result.links = Self.sorted(Array(newest.values))
        return result
    }

    private static func sorted(_ links: [Link]) -> [Link] {
        links.sorted { ($1.date, $0.source, $0.identifier) < ($0.date, $1.source, $1.identifier) }
    }

    /// Reads a link with the keys of Xcode's template.
    private static func link(
        _ item: NSExtensionItem, _ source: String, _ number: Int, _ remarks: inout [String]
    ) -> Link? {
        func omit(_ reason: String) -> Link? {
            remarks.append("\(source): item \(number) is left out: \(reason)")
            return nil
        }
        let information = item.userInfo ?? [:]
        guard let identifier = information["uniqueIdentifier"] as? String, !identifier.isEmpty else {
            return omit("it has no text uniqueIdentifier")
        }
        guard let text = information["urlString"] as? String else { return omit("it has no text urlString") }
        guard let url = URL(string: text), let scheme = url.scheme, !scheme.isEmpty, url.host?.isEmpty == false else {
            return omit("its urlString is no URL")
        }
        guard let date = information["date"] as? Date else { return omit("it has no date") }
        return Link(
            source: source, identifier: identifier, url: url, date: date,
            displayName: information["displayName"] as? String, title: item.attributedTitle?.string,
            text: item.attributedContentText?.string, image: item.attachments?.first)
    }
}
