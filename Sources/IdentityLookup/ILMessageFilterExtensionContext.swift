// ILMessageFilterExtensionContext: the context of a question to a message filter, through which it asks its server.

public import ExtensionFoundation
public import Foundation
import ExtensionWire
import PointFrameworkKit
import PointMessages

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The answer of the filter's server.
open class ILNetworkResponse: NSObject, @unchecked Sendable {  // its properties are constant
    /// The status and the headers.
    public let urlResponse: HTTPURLResponse
    /// The body.
    public let data: Data

    init?(_ answer: DeferQueryToNetwork.Reply) {
        guard let url = URL(string: answer.url),
            let response = HTTPURLResponse(
                url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.headers)
        else { return nil }
        (urlResponse, data) = (response, Data(answer.body))
    }
}

/// The context of a question.
open class ILMessageFilterExtensionContext: NSExtensionContext, @unchecked Sendable {  // it has no state
    /// Asks the host to send the question to the server at `ILMessageFilterExtensionNetworkURL`, because the filter has
    /// no network itself (documented). A question can be sent once.
    ///
    /// - Parameter completion: called once, on another thread, with the answer or an `ILMessageFilterError`.
    open func deferQueryRequestToNetwork(completion: @escaping (ILNetworkResponse?, (any Error)?) -> Void) {
        let handler = Handler(completion)
        guard let session = PointSession.of(self) else {
            DispatchQueue.global().async { handler.body(nil, ILMessageFilterError(.system)) }
            return
        }
        session.send(DeferQueryToNetwork()) { answer in
            let answer = answer.map { ILNetworkResponse($0) }
            session.onThread {
                switch answer {
                case .success(let response?): handler.body(response, nil)
                case .success(nil): handler.body(nil, ILMessageFilterError(.networkRequestFailed))
                case .failure(let error): handler.body(nil, ILMessageFilterError(crossing: error))
                }
            }
        }
    }

    /// The form of `deferQueryRequestToNetwork(completion:)` that Swift imports as `async`.
    ///
    /// - Throws: `ILMessageFilterError`.
    open func deferQueryRequestToNetwork() async throws -> ILNetworkResponse {
        try await withCheckedThrowingContinuation { continuation in
            deferQueryRequestToNetwork { response, error in
                if let response {
                    continuation.resume(returning: response)
                } else {
                    continuation.resume(throwing: error ?? ILMessageFilterError(.system))
                }
            }
        }
    }

    /// The author's handler, which is called once.
    private struct Handler: @unchecked Sendable {
        let body: (ILNetworkResponse?, (any Error)?) -> Void
        init(_ body: @escaping (ILNetworkResponse?, (any Error)?) -> Void) { self.body = body }
    }
}
