// ExtensionPointSupport: the calls of a call directory, as calls of the author's code on the queue of the request.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import PointFrameworkKit
import PointMessages

/// The framework's half of `com.apple.callkit.call-directory`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    var contextClass: NSExtensionContext.Type { CXCallDirectoryExtensionContext.self }

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        guard type is CXCallDirectoryProvider.Type else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(type) is not a subclass of CXCallDirectoryProvider",
                remedy: "Inherit from it, or name another class in NSExtensionPrincipalClass")
        }
        return session.makeObject(of: type)
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        guard let provider = session.principal as? CXCallDirectoryProvider,
            let context = session.context as? CXCallDirectoryExtensionContext
        else { throw ExtensionHostError(.contextFinished, "the request has ended") }
        switch call.name {
        case LoadCallDirectory.name:
            let message = try call.decode(LoadCallDirectory.self)
            let author = AuthorCode(provider)
            let _: Nothing = try await session.completion(of: "\(type(of: provider)).beginRequest(with:)") { handler in
                context.begin(isIncremental: message.isIncremental) { handler(Nothing()) }
                author.provider.beginRequest(with: context)
            }
        case EndCallDirectory.name:
            let message = try call.decode(EndCallDirectory.self)
            if let code = message.failure {
                await withCheckedContinuation { continuation in
                    session.onThread {
                        context.fail(code, message.reason)
                        continuation.resume()
                    }
                }
            }
            context.decided()
        default: throw ExtensionHostError(.notImplemented, "CallKit has no call \(call.name)")
        }
        return try PointEncoder.encode(Nothing())
    }

    /// The author's object, which runs on the queue of the request.
    private struct AuthorCode: @unchecked Sendable {
        let provider: CXCallDirectoryProvider
        init(_ provider: CXCallDirectoryProvider) { self.provider = provider }
    }
}
