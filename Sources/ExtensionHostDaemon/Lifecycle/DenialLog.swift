// DenialLog: the refused accesses of a confined process, and their way to logs and hosts.

import EventLog
import EventLoop
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// The refusals of one confined process.
///
/// Each refusal is an event, a line of the process's log, and part of the outcome of the requests that were open when
/// it came.
///
/// So the host does not hear of a request's end while a refusal of its process is pending (`afterReports`). A pending
/// refusal is unread, or about a path whose file system has not answered yet. A process is not reaped meanwhile either.
@HostActor
final class DenialLog {
    /// The name of the stream of these lines in the log, beside `stdout` and `stderr`.
    nonisolated static let stream = "sandbox"

    private let watch: DenialWatch
    private let pending: PendingRefusals
    private unowned let process: ExtensionProcess
    /// The number of pending lookups above which a refusal is reported without one. The init reports no more refusals
    /// of a process than these.
    private static let mostPending = 64

    init(of process: ExtensionProcess, _ watch: DenialWatch) {
        self.process = process
        self.watch = watch
        pending = PendingRefusals(process.context.clock) { [weak watch] in watch?.hasMore == true }
        watch.onDenial = { [weak self] in self?.take($0) }
        watch.onTurn = { [weak self] in self?.pending.proceed() }
    }

    /// Calls `body` once every refusal until now has been reported or dropped.
    ///
    /// That is at once as a rule, and after `PendingRefusals.bound` at the latest. The init sends a refusal before the
    /// refused call returns, so before the process does anything else.
    func afterReports(_ body: @escaping @HostActor () -> Void) {
        watch.read()
        pending.whenSettled(body)
    }

    /// Reads the refusals that have arrived, within the bounds of a turn.
    func read() { watch.read() }

    private func take(_ denial: Denial) {
        let open = (process.requests.values.filter(\.isOpen) + process.ending).inOrder()
        switch RefusalRecord.isWorthTelling(denial, isThere: isThere) {
        case true?: report(denial, to: open)
        case false?: break
        case nil:
            guard pending.count < Self.mostPending else { return report(denial, to: open) }
            let answer = pending.add { [weak self] in self?.report(denial, to: open) }
            // A virtual clock does not advance before the answer.
            let done = process.context.scheduler?.beginWork()
            // Queries of a file system that hangs are dropped when the process ends.
            process.context.fileWork.run(
                named: "refusal", of: Int32(clamping: process.number), isWanted: { [weak self] in self != nil }
            ) {
                RefusalRecord.isWorthTelling(denial) { path in
                    var status = stat()
                    return lstat(path, &status) == 0
                }
            } then: { isWorthReporting in
                // A refusal is reported where the file system could not be asked.
                answer((try? isWorthReporting.get()) != false)
                done?()
            }
        }
    }

    /// Reports a refusal to the log, to the follower and to requests.
    ///
    /// - Parameter open: the requests that were open when the refusal came, and those whose host has not heard of the
    ///   end yet.
    private func report(_ denial: Denial, to open: [Request]) {
        let refusal = RefusalRecord(denial, containers: process.containersFolder)
        // With several open, nothing says which of them it belongs to.
        process.tell(.refused(open.count == 1 ? open.first?.identifier : nil, detail: "\(refusal)"))
        process.context.output.note("\(refusal)", Self.stream, of: process.printer)
        for request in open { request.refused(refusal) }
        process.follower?.show(Array("exthost: \(refusal)\n".utf8), .stderr)
    }
}

extension RefusalRecord {
    /// Describes a denial, with the entitlement that would allow a path in a container.
    ///
    /// - Parameter containers: the folder of all containers.
    init(_ denial: Denial, containers: String?) {
        var (allowance, remedy) = (denial.allowance, denial.remedy)
        if denial.kind == .file, let containers, denial.about.hasPrefix("\(containers)/") {
            let parts = denial.about.dropFirst(containers.utf8.count + 1).split(separator: "/")
            if parts.count > 2, parts[..<2].joined(separator: "/") == ContainerNames.groups {
                allowance = "\(Entitlements.groupsKey) = [\"\(parts[2])\"]"
                remedy = "Name the group in the \(Entitlements.fileName) of the extension and of its app"
            } else {
                remedy =
                    "Share it through an app group (\(Entitlements.groupsKey)): only its owner may access a container"
            }
        }
        self.init(
            layer: denial.layer, kind: denial.kind.rawValue, call: denial.call, about: denial.about,
            allowance: allowance,
            remedy: remedy)
    }

    /// Whether a refusal is worth reporting.
    ///
    /// The system's own libraries look for some paths in vain: paths that do not exist, programs by `PATH`, and the
    /// kernel's tables. For these it is false. For a refused write, the parent folder has to exist.
    ///
    /// - Parameter isThere: asks a file system that the extension chose, or returns nil where that could take long.
    /// - Returns: nil if `isThere` returned nil.
    static func isWorthTelling(_ denial: Denial, isThere: (String) -> Bool?) -> Bool? {
        guard denial.kind == .file else { return true }
        let folder = denial.about.lastIndex(of: "/").map { denial.about[..<$0] } ?? ""
        if denial.about.hasPrefix("/sys/") || (!denial.writes && searched.contains(folder)) { return false }
        guard let found = isThere(denial.about) else { return nil }
        // A refused creation counts although the file does not exist.
        return found || !denial.writes ? found : isThere("\(folder)/")
    }

    /// The folders of `PATH`, which the daemon passes to extensions.
    private static let searched = Set((getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":"))
}
