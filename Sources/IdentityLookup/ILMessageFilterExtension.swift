// ILMessageFilterExtension: the principal class of a message filter, and the questions that it answers.

public import Foundation
import PointFrameworkKit

/// The principal class of a message filter. A subclass adopts `ILMessageFilterQueryHandling`.
///
/// Each question gets an object of its own. Its methods run on the queue of the request.
open class ILMessageFilterExtension: NSObject {
    public override init() {}
}

/// The answers of a message filter to questions about messages. An author writes one of the two methods.
public protocol ILMessageFilterQueryHandling: NSObjectProtocol {
    /// Decides about a message from a stranger.
    ///
    /// - Parameters:
    ///   - queryRequest: the message.
    ///   - context: the context, which can ask the server.
    ///   - completion: called once, on any thread. Without a call within 5 s (ours), after a death, or with a released
    ///     handler, the message is shown as one without a filter.
    func handle(
        _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext,
        completion: @escaping (ILMessageFilterQueryResponse) -> Void)

    /// The form of `handle(_:context:completion:)` that Swift imports as `async`.
    func handle(
        _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext
    ) async -> ILMessageFilterQueryResponse
}

extension ILMessageFilterQueryHandling {
    public func handle(
        _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext,
        completion: @escaping (ILMessageFilterQueryResponse) -> Void
    ) {
        PointSession.notWritten("handle(_:context:completion:) of ILMessageFilterQueryHandling")
    }

    public func handle(
        _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext
    ) async -> ILMessageFilterQueryResponse {
        PointSession.notWritten("handle(_:context:) of ILMessageFilterQueryHandling")
        return ILMessageFilterQueryResponse()
    }
}

/// The answer of a message filter to the question for its sub-actions. An author writes one of the two methods.
public protocol ILMessageFilterCapabilitiesQueryHandling: NSObjectProtocol {
    /// Names the sub-actions that the filter uses.
    ///
    /// - Parameters:
    ///   - capabilitiesQueryRequest: the question, which has no properties.
    ///   - context: the context of the question.
    ///   - completion: called once, on any thread, within 5 s (ours).
    func handle(
        _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest, context: ILMessageFilterExtensionContext,
        completion: @escaping (ILMessageFilterCapabilitiesQueryResponse) -> Void)

    /// The form of `handle(_:context:completion:)` that Swift imports as `async`.
    func handle(
        _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest, context: ILMessageFilterExtensionContext
    ) async -> ILMessageFilterCapabilitiesQueryResponse
}

extension ILMessageFilterCapabilitiesQueryHandling {
    public func handle(
        _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest, context: ILMessageFilterExtensionContext,
        completion: @escaping (ILMessageFilterCapabilitiesQueryResponse) -> Void
    ) {
        PointSession.notWritten("handle(_:context:completion:) of ILMessageFilterCapabilitiesQueryHandling")
    }

    public func handle(
        _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest, context: ILMessageFilterExtensionContext
    ) async -> ILMessageFilterCapabilitiesQueryResponse {
        PointSession.notWritten("handle(_:context:) of ILMessageFilterCapabilitiesQueryHandling")
        return ILMessageFilterCapabilitiesQueryResponse()
    }
}
