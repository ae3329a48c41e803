// Adoption: how a daemon goes on with the processes, requests and hosts of the one before.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import Logging

@HostActor
struct Adoption {
    let context: DaemonContext
    let inventory: Inventory
    let launcher: Launcher
    let limiter: Limiter
    let keeping: Keeping
    private var absent: AbsentHosts { context.absentHosts }

    init(_ context: DaemonContext, _ inventory: Inventory, _ launcher: Launcher, _ limiter: Limiter, _ keeping: Keeping) {
        self.context = context
        self.inventory = inventory
        self.launcher = launcher
        self.limiter = limiter
        self.keeping = keeping
    }

    /// Takes over what can be gone on with, and ends the rest by name. To be called once, before anybody is listened to.
    func run() {
        let (left, store) = keeping.takeInheritance()
        var state = KeptState()
        inventory.goOnCounting(fromRequest: left.lastRequest)
        launcher.goOnCounting(from: left.lastProcess)
        take(.numbers(process: left.lastProcess, request: left.lastRequest), &state)
        for host in left.hosts.values {
            absent.add(host)
            context.driver.post(.hostAwaited(host.name, host.state))
            take(.host(host), &state)
        }
        var processes: [Int: ExtensionProcess] = [:]
        for kept in left.processes.values.sorted(by: { $0.number < $1.number }) {
            guard let process = adopt(kept, store) else { continue }
            processes[kept.number] = process
            take(.process(kept), &state)
            for name in left.served[kept.number] ?? [] { take(.served(kept.number, host: name), &state) }
            process.expect(left.served[kept.number] ?? [])
        }
        let lost = left.processes.values.filter { processes[$0.number] == nil }
        for kept in lost {
            limiter.leave(kept.groups)
            let end = Exited(
                process: kept.number,
                exit: ExitRecord(status: nil, signal: nil, cause: .daemonRestarted, peakMemory: nil, expired: false),
                time: Int(clamping: context.clock.now))
            guard let names = left.served[kept.number], !names.isEmpty else { continue }
            // For the daemon after this one, should its hosts not have heard of it by then: that it was, and is no more.
            var ended = kept
            ended.inodes = []
            take(.process(ended), &state)
            for name in names {
                absent.owed.add(end, to: name)
                take(.served(kept.number, host: name), &state)
            }
        }
        var requests: [(Request, ExtensionProcess)] = []
        for var kept in left.requests.values.sorted(by: { $0.number < $1.number }) where absent.contains(kept.host) {
            // A process of other rights than the host's was never given a request of its.
            if kept.end == nil, let host = absent.hosts[kept.host], let process = kept.process.flatMap({ processes[$0] }),
                process.identity == host.identity
            {
                requests.append((Request(kept, of: host, bundle: process.bundle, context), process))
            } else {
                kept.end = kept.end ?? .daemonRestarted
            }
            take(.request(kept), &state)
        }
        keeping.begin(with: state, (processes.count, requests.count), known: Set(processes.keys))
        limiter.sweep(allBut: processes.keys.flatMap { left.processes[$0]?.groups ?? [] })
        for process in processes.values { process.beginReturn() }
        for (request, process) in requests {
            inventory.add(request)
            process.assign(kept: request)
        }
        for process in processes.values { process.limits?.lookBack() }
        keeping.beginWaiting()
    }

    private func take(_ record: JournalRecord, _ state: inout KeptState) { try? state.take(record) }

    private func adopt(_ kept: KeptProcess, _ store: [String: [SharedDescriptor]]) -> ExtensionProcess? {
        guard let descriptors = store[Keeping.name(kept.number)] else { return nil }
        do {
            return try launcher.adopt(kept, try KeptDescriptors(descriptors, of: kept))
        } catch {
            context.logger.warning("process \(kept.root) of \(kept.extensionIdentifier) is not gone on with: \(error)")
            return nil
        }
    }
}
