// ExtensionPointSupport: the calls of a broadcast, as calls of the author's code.

import AppGroups
import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import PointFrameworkKit
import PointMessages
import UIKit

/// The framework's half of `com.apple.broadcast-services-upload`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        if type is RPBroadcastMP4ClipHandler.Type {
            throw ExtensionHostError(
                .notSimulated, "\(type) gets clips, and nothing here encodes video",
                remedy: "Inherit from RPBroadcastSampleHandler, and process samples")
        }
        guard type is RPBroadcastSampleHandler.Type,
            let handler = session.makeObject(of: type) as? RPBroadcastSampleHandler
        else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(type) is not a subclass of RPBroadcastSampleHandler",
                remedy: "Inherit from it, or name another class in NSExtensionPrincipalClass")
        }
        handler.adopt(session)
        return handler
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        guard let handler = session.principal as? RPBroadcastSampleHandler else {
            throw ExtensionHostError(.contextFinished, "the request has ended")
        }
        let (broadcast, author) = (Broadcast.of(session), AuthorCode(handler: handler))
        switch call.name {
        case StartBroadcast.name:
            let message = try call.decode(StartBroadcast.self)
            let setup = SetupInfo(message.setupInfo)
            handler.beginRequest(with: session.context)
            try broadcast.open(message.stream, author, session)
            await broadcast.perform { author.handler.broadcastStarted(withSetupInfo: setup.values) }
        case PauseBroadcast.name:
            await broadcast.settle(try call.decode(PauseBroadcast.self).samples)
            await broadcast.perform { author.handler.broadcastPaused() }
        case ResumeBroadcast.name:
            await broadcast.settle(try call.decode(ResumeBroadcast.self).samples)
            await broadcast.perform { author.handler.broadcastResumed() }
        case AnnotateBroadcast.name:
            let message = try call.decode(AnnotateBroadcast.self)
            await broadcast.settle(message.samples)
            let info = SetupInfo(message.application)
            await broadcast.perform { author.handler.broadcastAnnotated(withApplicationInfo: info.values ?? [:]) }
        case SettleBroadcast.name: await broadcast.settle(try call.decode(SettleBroadcast.self).samples)
        case FinishBroadcast.name:
            await broadcast.settle(try call.decode(FinishBroadcast.self).samples)
            await broadcast.perform { author.handler.broadcastFinished() }
        case EndBroadcast.name: broadcast.close()
        default: throw ExtensionHostError(.notImplemented, "ReplayKit has no call \(call.name)")
        }
        return try PointEncoder.encode(broadcast.words)
    }

    func end(_ session: PointSession) { Broadcast.of(session).close() }
}

// Unchecked: only the author's code uses the values.
/// A dictionary for the author's code.
private struct SetupInfo: @unchecked Sendable {
    let values: [String: NSObject]?

    init(_ message: PointValue?) {
        values = message?.plist.dictionary.map { entries in
            foundationValues(entries).compactMapValues { value in
                (value as? NSObject) ?? (value as? Data).map { NSData(data: $0) }
            }
        }
    }
}

/// The framework's half of `com.apple.broadcast-services-setupui`. The author's code ends the request.
final class BroadcastSetupSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        let made = session.makeObject(of: type)
        guard made is UIViewController else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(Swift.type(of: made)) is not a UIViewController",
                remedy: "Inherit from it, or name another class in NSExtensionPrincipalClass")
        }
        return made
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        throw ExtensionHostError(.notImplemented, "ReplayKit has no call \(call.name) of a set-up")
    }
}
