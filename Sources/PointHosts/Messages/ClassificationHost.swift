// ClassificationHost: the telephone and the messaging app that let a person report messages and calls.

public import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import Foundation
internal import PropertyListCoding
public import PointMessages

/// Shows the views of reporting extensions, and hands their reports to a server or to a messaging app.
public struct ClassificationHost: Sendable {
    /// The extension point of reporting extensions.
    public static let point = "com.apple.identitylookup.classification-ui"
    /// The attribute with the address of the server.
    public static let networkDestination = "ILClassificationExtensionNetworkReportDestination"
    /// The attribute with the number that gets messages.
    public static let messageDestination = "ILClassificationExtensionSMSReportDestination"
    /// The most communications of a report (ours).
    public static let mostCommunications = 256

    /// The communications that a person reports.
    public enum Subject: Sendable, Hashable {
        /// Messages of one or more senders.
        case messages([ReportedCommunication])
        /// Telephone calls.
        case calls([ReportedCommunication])
    }

    /// The receiver of an extension's reports.
    public enum Destination: Sendable, Hashable {
        /// A server, with the address as the extension declares it.
        case server(String)
        /// A telephone number that gets messages, as the extension declares it.
        case number(String)
    }

    private let host: HostApplication
    private let delivery: ReportDelivery

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - server: the server of the reports. Without one, each report by network fails.
    ///   - composer: the messaging app. Without one, each report by message fails.
    ///   - limit: the time that a report may take; a person who looks at a message has no limit.
    public init(
        _ host: HostApplication, server: MessageServer? = nil, composer: ReportComposer? = nil,
        limit: Duration = .seconds(30)
    ) {
        self.host = host
        delivery = ReportDelivery(server: server, composer: composer, limit: limit)
    }

    /// Returns the receiver of an extension's reports; nil if it declares none.
    ///
    /// An extension that declares both reports by network (ours).
    ///
    /// - Throws: `ExtensionHostError` `noSuchExtension` if there is no such reporting extension, `connectionLost`.
    public func destination(of identifier: String) async throws -> Destination? {
        let whole = try await host.wholeDeclaration(of: identifier)
        guard whole.point == Self.point else {
            throw ExtensionHostError(.noSuchExtension, "\(identifier) reports no messages and calls")
        }
        let attributes = whole.declaration["NSExtensionAttributes"]?.dictionary ?? [:]
        if let address = attributes[Self.networkDestination] { return .server(address.string ?? "") }
        return attributes[Self.messageDestination].map { .number($0.string ?? "") }
    }

    /// Shows the view for communications.
    ///
    /// - Parameters:
    ///   - subject: the communications, in any order. The extension gets the oldest first.
    ///   - identifier: the extension.
    /// - Throws: `ExtensionHostError` `invalidArgument` without communications, or with more than 256; errors of
    ///   `destination(of:)`, `HostApplication.begin` and the call.
    public func begin(_ subject: Subject, with identifier: String) async throws -> ClassificationSession {
        let message: PrepareClassification
        switch subject {
        case .messages(let all): message = PrepareClassification(.message, all.sorted { $0.date < $1.date })
        case .calls(let all): message = PrepareClassification(.call, all.sorted { $0.date < $1.date })
        }
        guard (1...Self.mostCommunications).contains(message.communications.count) else {
            throw ExtensionHostError(
                .invalidArgument, "a report has 1 to \(Self.mostCommunications) messages or calls")
        }
        let destination = try await destination(of: identifier)
        let version = try await host.extensions().first { $0.identifier == identifier }?.version ?? ""
        let progress = ClassificationProgress()
        let request = try await host.begin(identifier, items: [], handling: progress.handlers)
        do {
            try await request.call(message)
        } catch {
            try? await request.cancel()
            // The reason why there is no view says more than the failed call.
            switch await request.outcome {
            case .refused: throw await request.explanation ?? error
            case .cancelled(.cancelledByExtension, let reason): throw ExtensionHostError(crossed: reason) ?? reason
            default: throw error
            }
        }
        let senders = message.communications.compactMap(\.sender)
        return ClassificationSession(
            request, progress,
            ReportContext(destination: destination, version: version, senders: senders, delivery: delivery))
    }
}
