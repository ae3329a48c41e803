// ExtensionProcess+Messages: the messages and the output of a process.

import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry

extension ExtensionProcess {
    /// Ends the extension, because it broke the protocol.
    func violated(_ error: ProtocolError) {
        peer?.fail(error)
        kill(.protocolViolation, by: "daemon", why: .violation(error))
    }

    /// Handles a closed connection of a process that does not reconnect.
    func cutOff() {
        handle(.connectionClosed)
        // A process that is exiting ends at once, and its end says more.
        guard !ProcessStatus.isExiting(pid) else { return }
        isCutOff = true
        loss.fire()
    }

    func saidHello(_ sdk: String) {
        readyTime = context.clock.now
        tell(.ready(kit: sdk, after: context.clock.now - spawnTime))
        context.driver.post(.hello(number))
        hello.fire()
    }

    /// Records a repeated answer to a request whose host got the answer from an earlier daemon.
    func hasAnsweredBefore(_ request: RequestIdentifier, work: Bool) {
        context.driver.post(.answeredBefore(request, by: number, work: work))
    }

    func handlerFinished(_ request: RequestIdentifier) {
        if machine.work.contains(request) {
            printed(for: request)
            leaveStory(request)
        }
        handle(.handlerFinished(request))
    }

    func wrote(_ stream: ProcessOutput.Stream, _ all: [UInt8]) {
        let taken = limits?.take(all.count, now: context.clock.now) ?? all.count
        guard taken > 0 else { return }
        // The pipe may be read before the start has been recorded.
        noteStart()
        let bytes = taken == all.count ? all : Array(all[..<taken])
        tell(.printed(detail: "\(stream.rawValue) \(bytes.count) bytes"))
        context.output.write(bytes, stream, of: printer)
        if machine.isWaiting { early.add(bytes, stream) } else { hosts.show(printed(bytes, stream)) }
        follower?.show(bytes, stream)
    }

    func printed(_ bytes: [UInt8], _ stream: ProcessOutput.Stream) -> Output {
        Output(extensionIdentifier: bundle.identifier, pid: pid, stream: stream.rawValue, bytes: bytes)
    }

    /// Reads all messages and output of a quiescent process under a virtual clock, and reaps it if it has ended.
    ///
    /// - Returns: whether there was any.
    @discardableResult
    func takeInput() -> Bool {
        noteStart()
        readRefusals()
        let hasPrinted = output?.takeInput() ?? false
        let hasSaid = peer?.drain() ?? false
        guard !hasEnded else {
            reap()
            return true
        }
        peer?.resumeReading()
        return hasPrinted || hasSaid
    }

    /// Whether the process has ended. It may not have been reaped yet.
    var hasEnded: Bool { child.hasEnded }

    var isBeingSuspended: Bool { suspension.isUnderWay }
}

extension ExtensionHostError {
    /// Returns the reason for the end of an extension that broke the protocol.
    fileprivate static func violation(_ error: ProtocolError) -> ExtensionHostError {
        if case .versionMismatch(let ours, let theirs) = error {
            return ExtensionHostError(
                .versionMismatch, "no common protocol version: the daemon speaks \(ours), the extension \(theirs)",
                remedy: "Bring the older of the two up to date")
        }
        return ExtensionHostError(
            .protocolViolation, "the extension violated the protocol: \(error)", remedy: "See docs/protocol.md")
    }
}
