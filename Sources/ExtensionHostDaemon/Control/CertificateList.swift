// CertificateList: the recent exits as a page: records in the body, the ends of their standard errors in its payload.

import EventLoop
import ExtensionConnection
import ExtensionProtocol
import LinuxSystem

extension ControlService {
    /// Sends a page of the recent exits.
    ///
    /// A core that was not complete when its process was reaped is looked up now, off the loop.
    func listExits(_ message: ListExits, _ reply: Reply<Page<DeathRecord>>) {
        let offset = message.offset
        let sought = inventory.deaths.certificates.filter {
            scope.includes($0.user) && $0.hasDumped && $0.record.exit.coreDump == nil
        }
        .map { (pid: $0.record.pid, time: $0.record.time, start: $0.started) }
        guard !sought.isEmpty else { return answerExits(offset, reply) }
        let dumps = CoreDumps(folder: context.options.coreDumps)
        do {
            try startThread(named: "core-dumps") { [weak self] in
                let names = dumps.names(of: sought.map { ($0.pid, $0.start) })
                Task { @HostActor in
                    guard let self, self.isConnected else { return }
                    for process in sought {
                        guard let name = names[process.pid] else { continue }
                        self.inventory.deaths.note(coreDump: name, pid: process.pid, time: process.time)
                    }
                    self.answerExits(offset, reply)
                }
            }
        } catch {
            answerExits(offset, reply)
        }
    }

    private func answerExits(_ offset: Int, _ reply: Reply<Page<DeathRecord>>) {
        let all = inventory.deaths.certificates.filter { scope.includes($0.user) }
        let first = min(max(0, offset), all.count)
        let candidates = all[first...].prefix(Self.pageLimit)
        let entries = Self.fitting(
            candidates.map { certificate in
                var record = certificate.record
                record.tail = certificate.tail.count
                return record
            })
        let page = Page(entries: entries, offset: first, count: all.count)
        let tails = Array(candidates.prefix(entries.count).map(\.tail).joined())
        do {
            reply(page, payload: try Payload(tails))
        } catch {
            reply(
                ExtensionHostError(
                    .internalError, "no memory file for the output of ended processes", cause: "\(error)"))
        }
    }
}
