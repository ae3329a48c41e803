// HostServer: what a host answers to its daemon: loads of its items, and the acknowledgement of each outcome.

import ExtensionConnection
import ExtensionItems
import ExtensionProtocol
import Foundation
import PropertyListCoding

/// Handles a host connection's packets, on its reader thread.
struct HostServer: Sendable {
    let channel: Channel
    let requests: RequestBook
    let onOutput: (@Sendable (ExtensionOutput) -> Void)?

    func receive(_ packet: Packet) {
        do {
            switch packet.kind {
            case .loadItem: try load(try packet.message(), serial: packet.serial)
            case .finished: try finish(try packet.message(), packet)
            case .exited: requests.processExited(try packet.message())
            case .output: onOutput?(ExtensionOutput(try packet.message()))
            case .fence: try channel.send(FenceReply(), replyTo: packet.serial)
            default: throw ProtocolError.unexpected(kind: "\(packet.kind)", state: "from the daemon to a host")
            }
        } catch {
            // What cannot be understood must not be passed over: every open request ends by name.
            channel.close()
        }
    }

    private func load(_ message: LoadItem, serial: UInt32) throws {
        guard let provider = requests[message.request]?.table[message.provider] else {
            try channel.send(
                ErrorReply(ExtensionHostError(.itemUnavailable, "the request has ended, or has no such attachment")),
                replyTo: serial)
            return
        }
        serveLoad(provider: provider, typeIdentifier: message.type) { [channel] answer in
            do {
                let value = encodeLoadAnswer(answer)
                let payload = try Payload(try value.plist.encodeBinary())
                try channel.send(ItemLoaded(), payload: payload, descriptors: value.descriptors, replyTo: serial)
            } catch {
                let failure = ExtensionHostError(.itemUnavailable, "the item's value cannot travel", cause: "\(error)")
                // Fails only with the connection, and then nobody waits.
                try? channel.send(ErrorReply(failure), replyTo: serial)
            }
        }
    }

    private func finish(_ message: Finished, _ packet: Packet) throws {
        try channel.send(Acknowledge(request: message.request))
        guard let request = requests[message.request] else { return }
        request.finished.set((outcome(message, packet, request.table), message))
        request.table.removeAll()
        requests.finished(request, message)
    }

    private func outcome(_ message: Finished, _ packet: Packet, _ table: ProviderTable) -> RequestOutcome {
        switch message.outcome {
        case .completed:
            do {
                guard let bytes = try packet.payload.bytes() else { return .completed([]) }
                let value = EncodedValue(
                    plist: try PropertyList(binary: bytes, limits: .payload), descriptors: packet.descriptors)
                return .completed(try decodeReturnedItems(value, table: table))
            } catch {
                return .interrupted(.protocolViolation)
            }
        case .cancelled: return .cancelled(message.cause, cancellation(message, packet))
        case .interrupted: return .interrupted(message.cause)
        case .timedOut: return .timedOut(message.cause)
        case .refused: return .refused(message.cause)
        }
    }

    private func cancellation(_ message: Finished, _ packet: Packet) -> any Error {
        if message.cause == .cancelledByExtension, let bytes = try? packet.payload.bytes(),
            let plist = try? PropertyList(binary: bytes, limits: .payload)
        {
            return decodeError(plist)
        }
        // The text that hosts see on Apple's systems (spec 1.3, observed).
        let text = message.cause == .cancelledByHost ? "Extension cancelled by host." : "Extension cancelled."
        return NSError(
            domain: NSCocoaErrorDomain, code: CocoaError.userCancelled.rawValue, userInfo: [NSLocalizedDescriptionKey: text])
    }
}
