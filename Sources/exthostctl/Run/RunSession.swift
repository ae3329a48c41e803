// RunSession: a session of `run` as a host, with all events on the way.

import Dispatch
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc

/// A session that connects as a host, lets its work begin requests, and follows them to their outcomes.
///
/// Every event arrives as a step, one after the other. The work is one request, or the session of an extension point's
/// driver: output, interruption, reports and limits are the same.
struct RunSession {
    /// The extension as the user named it.
    let extensionIdentifier: String
    /// The path of the extension, if it is to be registered for this session.
    let path: String?
    let timeout: Duration?
    let hostName: String
    let waitsForExit: Bool
    let waitsForDebugger: Bool
    let showsOutput: Bool
    /// Whether lines of standard input, or a command, decide how long the requests last.
    let isOpenEnded: Bool
    let console: RunConsole

    /// The end of a session.
    struct Ending<Result: Sendable>: Sendable {
        /// The result of the work; nil if the user interrupted it.
        var result: Result?
        /// The requests that have an outcome, in the order of their begins.
        var requests: [ExtensionRequest] = []
        var isInterrupted = false
    }

    private enum Step: Sendable {
        case begun(ExtensionRequest)
        case held(Int)
        case delivered(ExtensionRequest)
        case finished
        case exited
        case interrupted
        case patienceEnded
        case waited(ExtensionRequest)
        case tick
    }

    /// The time limit of the daemon's answer to a cancellation. The daemon decides at once, so this only bounds one
    /// that is stuck.
    private static let patience = DispatchTimeInterval.seconds(5)
    /// The time after which the user is told what a request waits for: it may wait for the user.
    private static let silence = DispatchTimeInterval.seconds(3)

    /// Runs the work, which gets the host and the extension's identifier.
    ///
    /// Ctrl-C cancels the work's task and its open requests. The work ends then, as their outcomes come.
    ///
    /// - Throws: the errors of `HostApplication.connect` and of the work.
    func run<Result: Sendable>(
        at address: DaemonAddress, _ body: @escaping @Sendable (HostApplication, String) async throws -> Result
    ) async throws -> Ending<Result> {
        let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
        let host = try await connect(to: address, continuation)
        let name = if let path { try await host.register(path: path) } else { extensionIdentifier }
        let interrupt = try InterruptSource([SIGINT, SIGTERM]) { continuation.yield(.interrupted) }
        defer { interrupt.stop() }
        console.wait(for: "launching \(name)")
        let work = Task {
            defer { continuation.yield(.finished) }
            return try await body(host, name)
        }
        let ticker = console.startTicker { continuation.yield(.tick) }
        defer { ticker?.cancel() }

        var requests: [ExtensionRequest] = []
        var delivered: Set<RequestIdentifier> = []
        var interruptions = 0
        var isFinished = false
        loop: for await step in steps {
            switch step {
            case .begun(let request):
                requests.append(request)
                if interruptions > 0 { Task { try? await request.cancel() } }
            case .held(let pid):
                console.line("exthostctl: process \(pid) waits for a debugger: gdb -p \(pid), or lldb -p \(pid)")
                console.wait(for: "waiting for a debugger")
            case .delivered(let request):
                delivered.insert(request.identifier)
                console.wait(for: "\(request.extensionIdentifier) has the request, running")
            case .finished:
                isFinished = true
                guard waitsForExit, interruptions == 0 else { break loop }
                console.wait(for: "the outcome is known, and the process continues")
                Task { [requests] in
                    for request in requests { _ = await request.exit }
                    continuation.yield(.exited)
                }
            case .exited: break loop
            case .interrupted:
                interruptions += 1
                guard !isFinished, interruptions == 1 else { break loop }
                console.wait(for: "cancelling")
                // The requests first: the cancelled work may end its session in order, and that would complete them. A
                // request that has just ended needs no cancelling: its outcome is the next step.
                Task { [requests] in
                    await withTaskGroup { group in
                        for request in requests { group.addTask { try? await request.cancel() } }
                    }
                    work.cancel()
                }
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
                    continuation.yield(.patienceEnded)
                }
            case .waited(let request):
                guard showsOutput, !isOpenEnded, interruptions == 0, waitsForExit || request.isOpen else { continue }
                let report = WaitReport(
                    request: request, isDelivered: delivered.contains(request.identifier),
                    isFinished: !request.isOpen, limit: timeout)
                console.line(report.text)
            case .patienceEnded:
                guard !isFinished else { continue }
                console.line("exthostctl: the daemon does not answer the cancellation. Read its log")
                break loop
            case .tick:
                // Of the loads that the extension waits for, the first with known progress is shown.
                let loads = requests.flatMap(\.servedLoads)
                if let load = loads.first(where: { $0.totalUnitCount > 1 }) {
                    console.show(done: load.completedUnitCount, of: load.totalUnitCount)
                }
                console.redraw()
            }
        }
        // Output from before the extension's end is still on its way.
        if isFinished, showsOutput { try? await host.fence() }
        console.end()
        var ending = Ending<Result>(isInterrupted: interruptions > 0)
        guard isFinished else { return ending }
        ending.requests = requests.filter { !$0.isOpen }
        do {
            ending.result = try await work.value
        } catch {
            guard ending.isInterrupted else { throw error }
        }
        return ending
    }

    /// Connects. Each request of the host is a step from its begin on.
    private func connect(
        to address: DaemonAddress, _ steps: AsyncStream<Step>.Continuation
    ) async throws -> HostApplication {
        let show: @Sendable (ExtensionOutput) -> Void = { [console] in console.show($0) }
        var policy = RequestPolicy()
        policy.timeout = timeout
        policy.waitsForDebugger = waitsForDebugger
        policy.onBegin = { [waitsForDebugger] request in
            steps.yield(.begun(request))
            if waitsForDebugger {
                Task { if let pid = await request.held() { steps.yield(.held(pid)) } }
            }
            Task { if (try? await request.delivered()) != nil { steps.yield(.delivered(request)) } }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.silence) { steps.yield(.waited(request)) }
        }
        // If no successor resumes the request, the host does not wait for one.
        return try await HostApplication.connect(
            name: hostName, to: address, patience: .seconds(1), comesBack: true, waitsForSuccessorOnly: true,
            policy: policy, onOutput: showsOutput ? show : nil)
    }
}
