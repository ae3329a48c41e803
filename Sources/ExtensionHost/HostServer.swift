// HostServer: a host's answers to its daemon: the loads of its items, and the acknowledgement of each outcome.

import ExtensionConnection
import ExtensionItems
import ExtensionProtocol
import Foundation
import ExtensionPointKit
import PropertyListCoding

/// A handler of a host connection's packets, on its reader thread.
struct HostServer: Sendable {
    let channel: Channel
    let requests: RequestBook
    /// Whether the daemon understands the progress of a load.
    let tellsProgress: Bool
    let onOutput: (@Sendable (ExtensionOutput) -> Void)?
    /// The running handlers of loads.
    let activity: Activity
    let calls: CallPort
    let services: ServicePort
    /// The loads that wait until a test answers them; nil to answer all at once.
    let held: HeldLoads?

    func receive(_ packet: Packet) {
        do {
            if try services.receive(packet) { return }
            switch packet.kind {
            case .loadItem: try load(try packet.message(), packet)
            case .cancelLoad:
                let message: CancelLoad = try packet.message()
                requests[message.request]?.served.cancel(message.load)
            case .showView: try show(packet)
            case .call, .cancelCall, .callPart, .callExpires: try calls.receive(packet) { begin($0) }
            case .held:
                let message: Held = try packet.message()
                requests[message.request]?.heldProcess.set(message.pid)
            case .finished: try finish(try packet.message(), packet)
            case .exited: requests.processExited(try packet.message())
            case .output: onOutput?(ExtensionOutput(try packet.message()))
            case .fence:
                let serial = packet.serial
                activity.whenQuiet { [channel] in try? channel.send(FenceReply(), replyTo: serial) }
            default: throw ProtocolError.unexpected(kind: "\(packet.kind)", state: "from the daemon to a host")
            }
        } catch {
            // A packet that cannot be understood must not be ignored: every open request ends with a cause.
            channel.close()
        }
    }

    private func begin(_ call: IncomingCall) {
        guard let request = requests[call.request] else {
            call.answer(.failure(ExtensionHostError(.contextFinished, "the request has ended")))
            return
        }
        request.begin(call)
    }

    private func load(_ message: LoadItem, _ packet: Packet) throws {
        let serial = packet.serial
        guard let request = requests[message.request], let provider = request.table[message.provider] else {
            try channel.send(
                ErrorReply(ExtensionHostError(.itemUnavailable, "the request has ended, or has no such attachment")),
                replyTo: serial)
            return
        }
        guard let form = LoadForm(rawValue: message.form ?? LoadForm.item.rawValue) else {
            let unknown = ExtensionHostError(
                .itemUnavailable, "the host knows no form “\(message.form ?? "")” of a load", remedy: "Update the host")
            return try channel.send(ErrorReply(unknown), replyTo: serial)
        }
        guard let held else { return serve(message, packet, provider, form, request) }
        held.hold(message.request, provider: message.provider) { [self] in
            serve(message, packet, provider, form, request)
        }
    }

    private func serve(
        _ message: LoadItem, _ packet: Packet, _ provider: NSItemProvider, _ form: LoadForm, _ request: ExtensionRequest
    ) {
        let serial = packet.serial
        let question = LoadQuestion(
            provider: message.provider, typeIdentifier: message.type, form: form, details: Self.details(of: packet))
        let served = request.served
        // Only a load with a number can have its progress reported.
        let report: (@Sendable (Int64, Int64) -> Void)? = message.load.flatMap { load in
            guard tellsProgress else { return nil }
            return { [channel] completed, total in
                try? channel.send(
                    LoadProgress(request: message.request, load: load, completed: Int(completed), total: Int(total)))
            }
        }
        served.noteStart()
        if let load = message.load { served.begin(load) }
        let progress = serveLoad(provider: provider, question, progress: report, activity: activity) {
            [channel] answer in
            if let load = message.load { served.end(load) }
            served.noteEnd()
            do {
                let value = encodeAnswer(answer)
                let payload = try Payload(try value.plist.encodeBinary())
                try channel.send(ItemLoaded(), payload: payload, descriptors: value.descriptors, replyTo: serial)
            } catch {
                let failure = ExtensionHostError(
                    .itemUnavailable, "the item's value cannot be sent",
                    remedy: "Give text, data, URLs or property lists",
                    cause: "\(error)")
                // This fails only with the connection, and then the reply is not needed.
                try? channel.send(ErrorReply(failure), replyTo: serial)
            }
        }
        if let load = message.load { served.set(progress, for: load) }
    }

    /// Returns the options and the expected class; nil for ones that cannot be read, or are too large to be options.
    private static func details(of packet: Packet) -> PropertyList? {
        guard case .inline(let bytes) = packet.payload else { return nil }
        return try? PropertyList(binary: bytes, limits: .payload)
    }

    private func finish(_ message: Finished, _ packet: Packet) throws {
        if !message.isFinal { try channel.send(Acknowledge(request: message.request)) }
        guard let request = requests[message.request] else { return }
        let (outcome, why) = outcome(message, packet, request.table)
        // If the delivery was not reported, the request learns of it only now.
        request.begun.set(.success(message.timings.delivered == nil ? nil : message.pid))
        request.heldProcess.set(nil)
        request.finished.set((outcome, message, why ?? message.detail))
        request.shown.end()
        held?.release(message.request)
        request.table.removeAll()
        request.served.cancelAll()
        calls.requestEnded(message.request)
        request.endStreams(
            outcome.kind == .interrupted ? ExtensionHostError(.interrupted, "the extension's process has ended") : nil)
        requests.finished(request, message)
    }

    /// Shows a view. A view that cannot be read is the extension's fault, and is not shown.
    private func show(_ packet: Packet) throws {
        let message: ShowView = try packet.message()
        if let request = requests[message.request], let bytes = try packet.payload.bytes(),
            let view = try? ViewElement(plist: PropertyList(binary: bytes, limits: .payload))
        {
            request.shown.show(view, message.sequence)
        }
        try channel.send(Success(), replyTo: packet.serial)
    }

    /// Returns the outcome, and the reason if this side found it.
    private func outcome(
        _ message: Finished, _ packet: Packet, _ table: ProviderTable
    ) -> (RequestOutcome, why: ExtensionHostError?) {
        switch message.outcome {
        case .completed:
            do {
                guard let bytes = try packet.payload.bytes() else { return (.completed([]), nil) }
                let value = EncodedValue(
                    plist: try PropertyList(binary: bytes, limits: .payload), descriptors: packet.descriptors)
                return (.completed(try decodeReturnedItems(value, table: table)), nil)
            } catch {
                let why = ExtensionHostError(
                    .protocolViolation, "the returned items cannot be read",
                    remedy: "Return only values of docs/protocol.md, section 8, from the extension", cause: "\(error)")
                return (.interrupted(.protocolViolation), why)
            }
        case .cancelled: return (.cancelled(message.cause, cancellation(message, packet, table)), nil)
        case .interrupted: return (.interrupted(message.cause), nil)
        case .timedOut: return (.timedOut(message.cause), nil)
        case .refused: return (.refused(message.cause), nil)
        }
    }

    /// Returns the error of a cancelled request.
    ///
    /// Items in it that were the host's have the host's own attachments again.
    private func cancellation(_ message: Finished, _ packet: Packet, _ table: ProviderTable) -> any Error {
        if message.cause == .cancelledByExtension {
            do {
                if let bytes = try packet.payload.bytes() {
                    return decodeError(try PropertyList(binary: bytes, limits: .payload), table: table)
                }
            } catch {
                return NSItemProvider.error(
                    .unknownError, "The extension's error could not be read.", underlying: error)
            }
        }
        // The text that hosts see on Apple's systems (spec 1.3, observed).
        let text = message.cause == .cancelledByHost ? "Extension cancelled by host." : "Extension cancelled."
        return NSError(
            domain: NSCocoaErrorDomain, code: CocoaError.userCancelled.rawValue,
            userInfo: [NSLocalizedDescriptionKey: text])
    }
}
