// AUAudioUnitFactory: the principal class of an audio unit, and the calls of its hosts.

import ExtensionPointKit
import Foundation
package import PointFrameworkKit
import PointMessages

/// The principal class of an extension at `com.apple.AudioUnit`, or the view controller of one with an interface.
public protocol AUAudioUnitFactory: NSExtensionRequestHandling {
    /// Makes the audio unit of a request. It is called once, on a thread that is not the main one. An error fails the
    /// host's instantiation.
    func createAudioUnit(with desc: AudioComponentDescription) throws -> AUAudioUnit
}

/// The framework's half of `com.apple.AudioUnit`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        let made = session.makeObject(of: type)
        try AudioCalls.adopt(made, session)
        return made
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        try await AudioCalls.perform(call, session)
    }

    func end(_ session: PointSession) { AudioSession.of(session).end() }
}

/// The calls that audio units with and without an interface have.
package enum AudioCalls {
    /// - Throws: `ExtensionHostError` `principalUnsuitable` for an object that makes no audio unit.
    package static func adopt(_ principal: NSObject, _ session: PointSession) throws {
        guard let factory = principal as? any AUAudioUnitFactory else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(type(of: principal)) does not adopt AUAudioUnitFactory",
                remedy: "Adopt the protocol, or name another class in NSExtensionPrincipalClass")
        }
        AudioSession.of(session).adopt(factory)
    }

    package static func end(_ session: PointSession) { AudioSession.of(session).end() }

    package static func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        let audio = AudioSession.of(session)
        switch call.name {
        case CreateAudioUnit.name:
            return try PointEncoder.encode(try await audio.create(try call.decode(CreateAudioUnit.self), session))
        case DescribeAudioUnit.name: return try PointEncoder.encode(try audio.facts())
        case SetAudioFormat.name:
            return try PointEncoder.encode(try audio.setFormat(try call.decode(SetAudioFormat.self)))
        case SetAudioParameters.name:
            return try PointEncoder.encode(try audio.set(try call.decode(SetAudioParameters.self)))
        case UseAudioPreset.name:
            return try PointEncoder.encode(try audio.usePreset(try call.decode(UseAudioPreset.self)))
        case ReadAudioState.name:
            return try PointEncoder.encode(try audio.state(try call.decode(ReadAudioState.self)))
        case RestoreAudioState.name:
            return try PointEncoder.encode(try audio.restore(try call.decode(RestoreAudioState.self)))
        case AllocateAudio.name:
            return try PointEncoder.encode(try audio.allocate(try call.decode(AllocateAudio.self), session))
        case DeallocateAudio.name: audio.deallocate()
        case ResetAudioUnit.name: try audio.reset()
        case BypassAudioUnit.name: try audio.bypass(try call.decode(BypassAudioUnit.self).isOn)
        case EndAudioUnit.name: audio.deallocate()
        default: throw ExtensionHostError(.notImplemented, "AudioToolbox has no call \(call.name)")
        }
        return try PointEncoder.encode(Nothing())
    }
}
