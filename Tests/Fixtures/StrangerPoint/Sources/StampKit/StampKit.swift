// StampKit: what the author of a stamp writes, and its calls.

import Foundation
import PointFrameworkKit
import StampMessages

/// A stamp, as its author writes it.
public protocol Stamping: NSObject {
    /// Stamps a text. The handler gets the result or an error, once.
    func stamp(_ text: String, completionHandler: @escaping @Sendable (String?, (any Error)?) -> Void)

    /// Stamps a copy of the host's file, and returns the file for the host. It need not be written.
    func stampFile(at url: URL) throws -> URL
}

extension Stamping {
    public func stampFile(at url: URL) throws -> URL {
        PointSession.notWritten()
        return url
    }
}

/// Turns the calls into calls of the author's code, which runs on the queue of the request.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        guard type is any Stamping.Type else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(type) does not adopt Stamping", remedy: "Adopt it in the principal class")
        }
        return session.makeObject(of: type)
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        switch call.name {
        case ApplyStamp.name:
            let text = try await stamp(try call.decode(ApplyStamp.self).text, session)
            return try PointEncoder.encode(ApplyStamp.Reply(text: text))
        case StampPages.name:
            let pages = try call.decode(StampPages.self).pages
            for page in pages {
                let part = StampPages.Part(text: try await stamp(page, session))
                try await call.send(part: try PointEncoder.encode(part))
            }
            return try PointEncoder.encode(StampPages.Reply(count: pages.count))
        case StampFile.name:
            let message = try call.decode(StampFile.self)
            let copy = try session.lend(message.file, named: message.fileName, for: call)
            let author = session.principal as? any Stamping
            guard let stamped = try session.ifWritten({ try author?.stampFile(at: copy) ?? copy }) else {
                throw ExtensionHostError(.notImplemented, "the extension stamps no files")
            }
            return try PointEncoder.encode(StampFile.Reply(file: try PointFile(readingAt: stamped.path)))
        case EndStamps.name: return try PointEncoder.encode(Nothing())
        default: throw ExtensionHostError(.notImplemented, "StampKit has no call \(call.name)")
        }
    }

    private func stamp(_ text: String, _ session: PointSession) async throws -> String {
        let result: Result<String, any Error> = try await session.completion(of: "stamp(_:completionHandler:)") {
            handler in
            (session.principal as? any Stamping)?.stamp(text) { text, error in
                handler(error.map { .failure($0) } ?? .success(text ?? ""))
            }
        }
        return try result.get()
    }
}
