// RunSession: one request from begin to outcome, with all events on the way.

import Dispatch
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Scenarios

/// A session that begins the request and follows it. Every event arrives as a step, one after the other.
struct RunSession {
    /// The extension as the user named it.
    let extensionIdentifier: String
    /// The path of the extension, if it is to be registered for this session.
    let path: String?
    let items: [OfferedItem]
    let timeout: Duration?
    /// The acts on the view, in this order.
    let acts: [SheetAct]
    let hostName: String
    let waitsForExit: Bool
    /// Whether the activation rule is ignored.
    let force: Bool
    let waitsForDebugger: Bool
    let showsOutput: Bool
    /// Whether a person uses the extension's view, by lines of standard input.
    let isInteractive: Bool
    let console: RunConsole

    private enum Step: Sendable {
        case held(Int)
        case delivered
        case failed(any Error)
        case finished
        case exited
        case interrupted
        case patienceEnded
        case waited
        case tick
    }

    /// The time limit of the daemon's answer to a cancellation. The daemon decides at once, so this only bounds one
    /// that is stuck.
    private static let patience = DispatchTimeInterval.seconds(5)
    /// The time after which the user is told what a request waits for: it may wait for the user.
    private static let silence = DispatchTimeInterval.seconds(3)
    /// The time that an act waits for its element: as long as a load may take.
    private static let actPatience = Duration.seconds(10)

    /// Runs the request. The report is nil if there was no outcome when the user gave up; the flag says whether Ctrl-C
    /// was pressed.
    ///
    /// - Throws: the errors of `HostApplication.connect` and `begin`.
    func run(at address: DaemonAddress) async throws -> (report: RunReport?, isInterrupted: Bool) {
        let show: @Sendable (ExtensionOutput) -> Void = { [console] in console.show($0) }
        // If no successor resumes the request, the host does not wait for one.
        let host = try await HostApplication.connect(
            name: hostName, to: address, patience: .seconds(1), comesBack: true, waitsForSuccessorOnly: true,
            onOutput: showsOutput ? show : nil)
        let extensionIdentifier = if let path { try await host.register(path: path) } else { extensionIdentifier }
        let items = try await host.items(items, for: extensionIdentifier)
        let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
        let interrupt = try InterruptSource { continuation.yield(.interrupted) }
        defer { interrupt.stop() }
        let request = try host.start(
            extensionIdentifier, items: items, timeout: timeout, force: force, waitsForDebugger: waitsForDebugger)
        follow(request, continuation)
        if isInteractive { TerminalSheet(request: request, console: console).start() } else { act(on: request) }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.silence) { continuation.yield(.waited) }
        let ticker = console.startTicker { continuation.yield(.tick) }
        defer { ticker?.cancel() }

        var interruptions = 0
        var isFinished = false
        var isDelivered = false
        console.wait(for: "launching \(extensionIdentifier)")
        loop: for await step in steps {
            switch step {
            case .held(let pid):
                console.line("exthostctl: process \(pid) waits for a debugger: gdb -p \(pid), or lldb -p \(pid)")
                console.wait(for: "waiting for a debugger")
            case .delivered:
                isDelivered = true
                console.wait(for: "\(extensionIdentifier) has the request, running")
            case .failed(let error):
                console.end()
                throw error
            case .finished:
                isFinished = true
                guard waitsForExit, interruptions == 0 else { break loop }
                console.wait(for: "the outcome is known, and the process continues")
            case .exited: break loop
            case .interrupted:
                interruptions += 1
                guard !isFinished, interruptions == 1 else { break loop }
                console.wait(for: "cancelling")
                // A request that has just ended needs no cancelling: its outcome is the next step.
                Task { try? await request.cancel() }
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
                    continuation.yield(.patienceEnded)
                }
            case .waited:
                guard showsOutput, !isInteractive, interruptions == 0 else { continue }
                let report = WaitReport(
                    request: request, isDelivered: isDelivered, isFinished: isFinished, limit: timeout)
                console.line(report.text)
            case .patienceEnded:
                guard !isFinished else { continue }
                console.line("exthostctl: the daemon does not answer the cancellation. Read its log")
                break loop
            case .tick:
                // Of the loads that the extension waits for, the first with known progress is shown.
                if let load = request.servedLoads.first(where: { $0.totalUnitCount > 1 }) {
                    console.show(done: load.completedUnitCount, of: load.totalUnitCount)
                }
                console.redraw()
            }
        }
        // Output from before the extension's end is still on its way.
        if isFinished, showsOutput { try? await host.fence() }
        console.end()
        return (isFinished ? await RunReport(request) : nil, interruptions > 0)
    }

    /// Performs the acts of the command line. A failed act ends the request, because the next acts depend on it.
    private func act(on request: ExtensionRequest) {
        guard !acts.isEmpty else { return }
        Task { [acts, console] in
            for act in acts {
                do {
                    try await request.use(act.action, patience: Self.actPatience)
                } catch {
                    console.line("exthostctl: “\(printable(act.written))” failed: \(printable("\(error)"))")
                    return try await request.cancel()
                }
            }
        }
    }

    private func follow(_ request: ExtensionRequest, _ steps: AsyncStream<Step>.Continuation) {
        if waitsForDebugger {
            Task { if let pid = await request.held() { steps.yield(.held(pid)) } }
        }
        Task { [waitsForExit] in
            do {
                try await request.delivered()
            } catch {
                steps.yield(.failed(error))
                return
            }
            steps.yield(.delivered)
            _ = await request.outcome
            steps.yield(.finished)
            guard waitsForExit else { return }
            _ = await request.exit
            steps.yield(.exited)
        }
    }
}
