// Refusals: what a confined process was refused, and to whom that is told.

import EventLog
import EventLoop
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// One of each confined process. A refusal is an event, a line of the process's log, and part of the end of the requests that are open.
@HostActor
final class Refusals {
    /// The stream of its lines in the log, beside `stdout` and `stderr`.
    nonisolated static let stream = "sandbox"

    private let watch: DenialWatch
    private unowned let process: ExtensionProcess
    /// Refusals of files whose file system is being asked whether they are there.
    private var unknown = 0
    private static let mostUnknown = 64

    init(of process: ExtensionProcess, _ watch: DenialWatch) {
        self.process = process
        self.watch = watch
        watch.tell = { [weak self] in self?.take($0) }
    }

    /// Takes what waits: the init tells a refusal before the call returns, so before anything that the process does next.
    func read() { watch.read() }

    private func take(_ denial: Denial) {
        switch RefusalRecord.isWorthTelling(denial, isThere: isThere) {
        case true?: tell(denial)
        case false?: break
        case nil:
            guard unknown < Self.mostUnknown else { return }
            unknown += 1
            // Virtual time waits for it.
            let done = process.engine.turns?.beginWork()
            // Queries of a file system that hangs are dropped when the process ends.
            process.engine.fileWork.run(
                named: "refusal", of: Int32(clamping: process.number), isWanted: { [weak self] in self != nil }
            ) {
                RefusalRecord.isWorthTelling(denial) { path in
                    var status = stat()
                    return lstat(path, &status) == 0
                }
            } then: { [weak self] isWorthTelling in
                defer { done?() }
                guard let self else { return }
                unknown -= 1
                // The end of a process is the last that is told of it.
                if !process.hasEnded, (try? isWorthTelling.get()) == true { tell(denial) }
            }
        }
    }

    private func tell(_ denial: Denial) {
        let refusal = RefusalRecord(denial, containers: process.containersFolder)
        let open = process.requests.values.filter(\.isOpen).sorted { $0.number < $1.number }
        // Of several nobody knows whose it was.
        process.engine.log.append(
            .accessRefused, request: open.count == 1 ? open.first?.identifier : nil,
            extensionIdentifier: process.bundle.identifier, pid: process.pid, detail: "\(refusal)")
        process.engine.output.note("\(refusal)", Self.stream, of: process.printer)
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
