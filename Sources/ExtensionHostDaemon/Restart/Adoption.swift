// Adoption: the takeover of processes, requests and hosts of the last daemon.

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
    let handover: DaemonHandover
    private var absent: AbsentHosts { context.absentHosts }

    init(
        _ context: DaemonContext, _ inventory: Inventory, _ launcher: Launcher, _ limiter: Limiter,
        _ handover: DaemonHandover
    ) {
        self.context = context
        self.inventory = inventory
        self.launcher = launcher
        self.limiter = limiter
        self.handover = handover
    }

    /// Adopts what can continue, and ends the rest with a cause.
    ///
    /// It is called once, before the daemon listens.
    func run() {
        let (left, store) = handover.takeInheritance()
        var state = HandedState()
        inventory.goOnCounting(fromRequest: left.lastRequest)
        launcher.goOnCounting(from: left.lastProcess)
        take(.numbers(process: left.lastProcess, request: left.lastRequest), &state)
        for host in left.hosts.values {
            absent.add(host)
            context.driver.post(.hostAwaited(host.name, host.state))
            take(.host(host), &state)
        }
        var processes: [Int: ExtensionProcess] = [:]
        for handed in left.processes.values.sorted(by: { $0.number < $1.number }) {
            guard let process = adopt(handed, store) else { continue }
            processes[handed.number] = process
            take(.process(handed), &state)
            for name in left.served[handed.number] ?? [] { take(.served(handed.number, host: name), &state) }
            process.expect(left.served[handed.number] ?? [])
        }
        let lost = left.processes.values.filter { processes[$0.number] == nil }
        for handed in lost {
            limiter.leave(handed.groups)
            let end = Exited(
                process: handed.number,
                exit: ExitRecord(status: nil, signal: nil, cause: .daemonRestarted, peakMemory: nil, expired: false),
                time: Int(clamping: context.clock.now))
            guard let names = left.served[handed.number], !names.isEmpty else { continue }
            // The record is for the next daemon, in case the hosts have not heard of the end by then: the process was,
            // and is no more.
            var ended = handed
            ended.inodes = []
            take(.process(ended), &state)
            for name in names {
                absent.undelivered.add(end, to: name)
                take(.served(handed.number, host: name), &state)
            }
        }
        var requests: [(Request, ExtensionProcess)] = []
        for var handed in left.requests.values.sorted(by: { $0.number < $1.number }) where absent.contains(handed.host)
        {
            // A process with other rights than the host's never got a request of the host.
            if handed.end == nil, let host = absent.hosts[handed.host],
                let process = handed.process.flatMap({ processes[$0] }),
                process.identity == host.identity
            {
                requests.append((Request(handed, of: host, bundle: process.bundle, context), process))
            } else {
                handed.end = handed.end ?? .daemonRestarted
            }
            take(.request(handed), &state)
        }
        handover.begin(with: state, (processes.count, requests.count), known: Set(processes.keys))
        limiter.sweep(allBut: processes.keys.flatMap { left.processes[$0]?.groups ?? [] })
        for process in processes.values { process.beginReturn() }
        for (request, process) in requests {
            inventory.add(request)
            process.assign(adopted: request)
        }
        for process in processes.values { process.limits?.lookBack() }
        handover.beginWaiting()
    }

    private func take(_ record: JournalRecord, _ state: inout HandedState) { try? state.take(record) }

    private func adopt(_ handed: HandedProcess, _ store: [String: [SharedDescriptor]]) -> ExtensionProcess? {
        guard let descriptors = store[DaemonHandover.name(handed.number)] else { return nil }
        do {
            return try launcher.adopt(handed, try HandedDescriptors(descriptors, of: handed))
        } catch {
            context.logger.warning("process \(handed.root) of \(handed.extensionIdentifier) is not adopted: \(error)")
            return nil
        }
    }
}
