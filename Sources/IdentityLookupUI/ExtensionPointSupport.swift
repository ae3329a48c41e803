// ExtensionPointSupport: the calls of a host that lets a person report messages and calls, as calls of the author's
// code.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import IdentityLookup
import Locks
import PointFrameworkKit
import PointMessages
import UIKit

/// The framework's half of `com.apple.identitylookup.classification-ui`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    var contextClass: NSExtensionContext.Type { ILClassificationUIExtensionContext.self }

    /// The view appears after `prepare(for:)` (documented).
    let showsViewAtBegin = false

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        // A storyboard has the class of its first controller.
        let made = session.makeObject(of: type)
        guard made is ILClassificationUIExtensionViewController else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(Swift.type(of: made)) is not an ILClassificationUIExtensionViewController",
                remedy: "Inherit from it, or name another class in NSExtensionPrincipalClass")
        }
        return made
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        switch call.name {
        case PrepareClassification.name:
            let message = try call.decode(PrepareClassification.self)
            let request = ILClassificationRequest.make(message.kind, message.communications)
            ReportedRequest.of(session).request.withLock { $0 = request }
            await session.onMain {
                guard let controller = Self.controller(session) else { return }
                // Public extensions use the outlets of their storyboard in `prepare(for:)`.
                if controller.storyboard != nil { controller.loadViewIfNeeded() }
                controller.prepare(for: request)
            }
            await session.showView()
            return try PointEncoder.encode(Nothing())
        case ClassifyCommunications.name: return try PointEncoder.encode(try await respond(session))
        case EndClassification.name:
            await session.hideView()
            return try PointEncoder.encode(Nothing())
        default: throw ExtensionHostError(.notImplemented, "IdentityLookupUI has no call \(call.name)")
        }
    }

    private func respond(_ session: PointSession) async throws -> ClassifyCommunications.Reply {
        guard let request = ReportedRequest.of(session).request.withLock({ $0 }) else {
            throw ExtensionHostError(.invalidArgument, "there is no report to answer")
        }
        return try await session.onMain {
            guard let controller = Self.controller(session) else {
                throw ExtensionHostError(.contextFinished, "the request has ended")
            }
            // An override may call the base: its value counts, and the log only names the base.
            var response = ILClassificationResponse(action: .none)
            session.ifWritten { response = controller.classificationResponse(for: request) }
            do {
                return try ClassifyCommunications.Reply(response)
            } catch let fault as ReportContent.Fault {
                session.report("\(type(of: controller)).classificationResponse(for:): \(fault)")
                throw ExtensionHostError(
                    .invalidArgument, "\(type(of: controller)) has answered with \(fault)",
                    remedy: "Use texts, finite numbers, arrays, dictionaries and NSNull, and few of them")
            }
        }
    }

    @MainActor private static func controller(_ session: PointSession) -> ILClassificationUIExtensionViewController? {
        session.principal as? ILClassificationUIExtensionViewController
    }
}

/// The communications of one request. Safe to use from any thread.
private final class ReportedRequest: Sendable {
    let request = Mutex<ILClassificationRequest?>(nil)

    private init() {}

    static func of(_ session: PointSession) -> ReportedRequest {
        session.state(ReportedRequest.self) { ReportedRequest() }
    }
}

extension ClassifyCommunications.Reply {
    /// Takes the parts that the report uses. A part that it does not use cannot fail it.
    ///
    /// - Throws: `ReportContent.Fault` if the author's values are no JSON, or too large.
    fileprivate init(_ response: ILClassificationResponse) throws {
        guard response.action != .none else {
            self.init(.none)
            return
        }
        if let text = response.userString, text.utf8.count > ClassifyCommunications.largestContent {
            throw ReportContent.Fault.tooLarge("userString")
        }
        let action: ReportedCommunication.Action =
            switch response.action {
            case .none: .none
            case .reportNotJunk: .reportNotJunk
            case .reportJunk: .reportJunk
            case .reportJunkAndBlockSender: .reportJunkAndBlockSender
            }
        self.init(
            action, userString: response.userString,
            userInfo: try response.userInfo.flatMap { values in
                // A message has the text, and the values only without one.
                if response.userString != nil && !Self.reportsByNetwork { return try? ReportContent.bytes(values) }
                return try ReportContent.bytes(values)
            })
    }

    /// Whether the extension declares a server, which the host prefers to a message.
    private static let reportsByNetwork: Bool = {
        let declaration = Bundle.main.object(forInfoDictionaryKey: "NSExtension") as? [String: Any]
        let attributes = declaration?["NSExtensionAttributes"] as? [String: Any]
        return attributes?["ILClassificationExtensionNetworkReportDestination"] != nil
    }()
}
