// DenialLog: what a confined process was refused, and to whom that is told.

import EventLog
import EventLoop
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// The refusals of one confined process. Each is an event, a line of the process's log, and part of the end of the
/// requests that were open when it came.
///
/// So the host is not told of a request's end while a refusal of its process is under way (`afterReports`): not read
/// yet, or of a path whose file system has not answered yet. A process is not reaped meanwhile either.
@HostActor
final class DenialLog {
    /// The stream of its lines in the log, beside `stdout` and `stderr`.
    nonisolated static let stream = "sandbox"

    private let watch: DenialWatch
    private let pending: PendingRefusals
    private unowned let process: ExtensionProcess
    /// Above so many lookups under way, a refusal is reported without one. The init reports no more of a process than
    /// these.
    private static let mostPending = 64

    init(of process: ExtensionProcess, _ watch: DenialWatch) {
        self.process = process
        self.watch = watch
        pending = PendingRefusals(process.context.clock) { [weak watch] in watch?.hasMore == true }
        watch.onDenial = { [weak self] in self?.take($0) }
        watch.onTurn = { [weak self] in self?.pending.proceed() }
    }

    /// Calls `body` once every refusal until now has been reported or passed over: at once as a rule, and after
    /// `PendingRefusals.bound` at the latest. The init sends a refusal before the refused call returns, so before the
    /// process does anything else.
    func afterReports(_ body: @escaping @HostActor () -> Void) {
        watch.read()
        pending.whenSettled(body)
    }

    /// Reads what waits, within the bounds of a turn.
    func read() { watch.read() }

    private func take(_ denial: Denial) {
        let open = (process.requests.values.filter(\.isOpen) + process.ending).sorted { $0.number < $1.number }
        switch RefusalRecord.isWorthTelling(denial, isThere: isThere) {
        case true?: report(denial, to: open)
        case false?: break
        case nil:
            guard pending.count < Self.mostPending else { return report(denial, to: open) }
            let answer = pending.add { [weak self] in self?.report(denial, to: open) }
            // Virtual time waits for it.
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

    /// - Parameter open: the requests that were open when it came, and those whose host has not been told of the end.
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
    /// - Parameter containers: the folder of all containers.
    init(_ denial: Denial, containers: String?) {
        var (allowance, remedy) = (denial.allowance, denial.remedy)
        if denial.kind == .file, let containers, denial.about.hasPrefix("\(containers)/") {
            let parts = denial.about.dropFirst(containers.utf8.count + 1).split(separator: "/")
            if parts.count > 2, parts[..<2].joined(separator: "/") == ContainerNames.groups {
                allowance = "\(Entitlements.groupsKey) = [\"\(parts[2])\"]"
                remedy = "Name the group in the \(Entitlements.fileName) of the extension and of its app"
            } else {
                remedy = "Share it through an app group (\(Entitlements.groupsKey)): containers are their owners' alone"
            }
        }
        self.init(
            layer: denial.layer, kind: denial.kind.rawValue, call: denial.call, about: denial.about, allowance: allowance,
            remedy: remedy)
    }

    /// False of a path that the system's libraries look for: what is nowhere, outside either, programs by `PATH`, and the
    /// kernel's tables.
    ///
    /// - Parameter isThere: asks a file system of the extension's choice, or says nil where that could take long.
    static func isWorthTelling(_ denial: Denial, isThere: (String) -> Bool?) -> Bool? {
        guard denial.kind == .file else { return true }
        let folder = denial.about.lastIndex(of: "/").map { denial.about[..<$0] } ?? ""
        if denial.about.hasPrefix("/sys/") || (!denial.writes && searched.contains(folder)) { return false }
        guard let found = isThere(denial.about) else { return nil }
        // What it would have made there is refused, though it is not there.
        return found || !denial.writes ? found : isThere("\(folder)/")
    }

    /// The folders of `PATH`, which extensions have from the daemon.
    private static let searched = Set((getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":"))
}
