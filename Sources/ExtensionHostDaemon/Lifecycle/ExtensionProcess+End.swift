// ExtensionProcess+End: the orders to end a process, and its end.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

extension ExtensionProcess {
    // MARK: Orders

    func kill(_ cause: Cause, by decider: String, why: ExtensionHostError? = nil) {
        if !isEnding { end.decide(by: decider, why: why) }
        handle(.kill(cause))
    }

    /// Ends the process, because its bundle is no longer registered.
    func withdraw() {
        guard !isEnding else { return }
        let why = ExtensionHostError(
            .interrupted, "\(bundle.identifier) was removed: \(bundle.path)",
            remedy: "Install or add it again; its stored data remains, unless exthostctl remove listed it as deleted")
        end.decide(by: "operator", why: why)
        handle(.withdrawn)
    }

    /// Ends a prewarmed process that no request will get.
    func outdate() {
        guard machine.isWaiting else { return }
        let why = ExtensionHostError(
            .interrupted, "\(bundle.path) no longer serves requests of \(bundle.identifier)",
            remedy: "No action: it was replaced, removed or switched off, or has other settings now"
        )
        end.decide(by: "daemon", why: why)
        handle(.outdated)
    }

    /// Ends an app, because its user closes it.
    func close() {
        guard !isEnding else { return }
        end.decide(by: "operator")
        handle(.closed)
    }

    /// Starts or stops reading the output of the process.
    ///
    /// While reading is off, output stays in the pipe, and the process blocks once the pipe is full.
    func setReading(_ isReading: Bool) { output?.isReading = isReading }

    func stop() {
        if !isEnding { end.decide(by: "daemon") }
        deadlines.boundByStop()
        handle(.daemonStopping)
    }

    /// Closes the connection of a process that is gone.
    func disconnect() {
        // The session must not hear of this end.
        peer?.owner = nil
        session = nil
        peer?.close(.closed)
        peer = nil
    }

    // MARK: The end

    func ended() {
        if !leavesInput() { reap() }
    }

    /// Reaps the process once its refusals have been reported. Until then it stays a zombie, and its requests stay
    /// open.
    func reap() {
        guard !awaitsRefusals else { return }
        noteStart()
        awaitsRefusals = true
        afterRefusals { [weak self] in
            self?.awaitsRefusals = false
            self?.reapAtOnce()
        }
    }

    private func reapAtOnce() {
        // Messages from before its end count, so they are read before the process counts as ended.
        peer?.drain()
        output?.drain(toTheEnd: true)
        context.output.finishLines(of: printer)
        guard var ending = child.reap() else { return }
        if !isReady, let error = MissingLibrary.error(ending.status, output?.errorTail ?? []) {
            ending = ProcessEnding(
                status: .notStarted(error), peakMemory: ending.peakMemory,
                processorMicroseconds: ending.processorMicroseconds)
        }
        limits?.judge(ending)
        if !isEnding, case .signalled = ending.status { end.decide(by: "system") }
        end.reaped(ending)
        handle(.exited(ending.status))
    }

    func finish(_ cause: Cause) {
        clock.end()
        limits?.end()
        var exit = end.exit(cause, didExpire: machine.didExpire)
        limits?.complete(&exit)
        exit.sandbox = sandbox.description
        (denialLog, door, lostPeer) = (nil, nil, nil)
        disconnect()
        child.forget()
        tell(.exited(cause, detail: end.summary(exit, isMeasured: context.scheduler == nil)))
        let record = end.record(exit, of: bundle.identifier, pid: pid, time: Int(context.clock.wallClockNow / 1000))
        let certificate = DeathCertificate(
            record: record, tail: output?.errorTail ?? [], hasDumped: end.hasDumped,
            started: context.options.clock == .real ? started : 0, user: user)
        onDeath?(Death(certificate: certificate, why: explanation(of: cause)))
        output = nil
        context.output.ended(printer)
        let exited = Exited(process: number, exit: exit, time: Int(clamping: context.clock.now))
        hosts.tell(exited) { context.absentHosts.owe(exited, to: $0) }
        follower?.tell(exited)
        onExit?(self)
        last = machine
        context.driver.post(.forgotten(number))
        // The latches fire after this step and the removal, so that their waiters find the model as it is then.
        context.driver.betweenSteps { [self] in for latch in [start, hello, over] { latch.fire() } }
    }

    /// Returns the reason for the end of the process, for people.
    ///
    /// - Parameter outlastsDaemon: whether the text may be read after the end of a private daemon, as the outcome of a
    ///   request may.
    func explanation(of cause: Cause, outlastsDaemon: Bool = false) -> ExtensionHostError {
        let known = DeathExplanation(
            identifier: bundle.identifier, isReady: isReady, hadRequests: !end.work.requests.isEmpty,
            status: end.status,
            launchLimit: timers[.launch] ?? .zero, spentDescriptors: limits?.spentDescriptors,
            hasNoLog: outlastsDaemon && context.options.isEphemeral)
        return end.why ?? known.error(cause)
    }
}
