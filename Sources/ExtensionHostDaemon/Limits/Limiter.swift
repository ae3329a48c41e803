// Limiter: the limits of all extensions: their sources, the means to enforce them, and the cleanup.

import EventLoop
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Logging

/// The limits of all extensions. It probes the machine once, when there is a limit to enforce.
@HostActor
final class Limiter {
    private enum Probe {
        case wanted
        case running
        case found(LimitCapabilities)
    }

    private let options: DaemonOptions
    /// The settings in force. A running process has the limits that it was launched with.
    var settings: DaemonSettings
    private var probe = Probe.wanted
    private var waiting: [@HostActor () -> Void] = []
    /// The means of tree kill around extensions.
    private(set) var enclosure = TreeKill.session
    private(set) var startedPoller: LimitPoller?
    private var lastNumber = 0
    /// The groups that still held processes after the end of the process that they were made for.
    private var leftovers: [LimitGroup] = []
    /// The hierarchy of the groups that hold extensions together, or tell them apart; nil where there are none.
    private var trees: ControlGroupHierarchy?
    /// The same hierarchy for processes that may outlive the daemon.
    private var survivingTrees: ControlGroupHierarchy?
    private var survivingMeans = LimitCapabilities()
    /// The janitors that kill and remove the groups if the daemon is killed; they end when these leases are closed.
    private var leases: [Janitor] = []
    /// The handler for a change of `summary`.
    var onChange: (@HostActor () -> Void)?

    init(options: DaemonOptions) {
        self.options = options
        settings = options.configuration.settings
    }

    /// The text for the bus and the status; `none` as long as nothing is limited.
    var summary: String { if case .found(let means) = probe { means.summary } else { "none" } }

    // MARK: Where limits come from

    /// Returns the limits that a setting has set.
    ///
    /// The nearest source of each limit counts: a bundle in development, the daemon's settings, the profile, the
    /// point's file.
    func limits(of bundle: ExtensionBundle) -> ResourceLimits {
        // Only extensions have limits (spec 5.3): an app belongs to its user, and a service to the installation.
        if !bundle.isExtension { return ResourceLimits() }
        return options.points[bundle.point].limits(in: settings.profile).overridden(by: settings.limits).overridden(
            by: bundle.limits)
    }

    /// Whether any installed extension could have a limit.
    private var isConfigured: Bool {
        !settings.limits.isEmpty || settings.profile != nil || options.points.hasLimits
    }

    // MARK: The probe

    /// Sets the means of tree kill, and starts the probe if the settings have limits. The start of the daemon does not
    /// wait for the probe.
    func start(_ enclosure: TreeKill, _ trees: ControlGroupHierarchy?) {
        self.enclosure = enclosure
        self.trees = trees
        if let trees { keepClean([trees]) }
        survivingTrees = maySurvive ? trees.flatMap(make) : nil
        if isConfigured { begin() }
        let usual = Backstop.limits.overridden(by: settings.limits)
        // The poller is made now, so that no launch has to start a thread. If no thread is left, the first launch
        // reports that.
        if [.memory, .cpu, .tasks, .descriptors].contains(where: { usual[$0] != nil }) { _ = try? poller() }
    }

    /// Whether any process may outlive the daemon.
    private var maySurvive: Bool { options.journal != nil }

    /// Makes the folder for groups that may outlive the daemon, which only the next daemon removes.
    private func make(_ hierarchy: ControlGroupHierarchy) -> ControlGroupHierarchy? {
        do throws(SystemError) {
            try hierarchy.surviving.make(controllers: [])
            return hierarchy.surviving
        } catch {
            options.logger.warning("no groups for processes that outlive the daemon in \(hierarchy.own): \(error)")
            return nil
        }
    }

    private func keepClean(_ hierarchies: [ControlGroupHierarchy]) {
        guard !hierarchies.isEmpty, let initProgram = options.initProgram else { return }
        do {
            leases.append(try Janitor(.groups, hierarchies.map(\.folder), initProgram: initProgram))
        } catch {
            options.logger.warning("control groups remain until the next start if the daemon is killed: \(error)")
        }
    }

    /// Calls `body` once the probe is over, or at once if it is over already. The first call starts the probe.
    func whenReady(_ body: @escaping @HostActor () -> Void) {
        if case .found = probe { return body() }
        waiting.append(body)
        begin()
    }

    var isReady: Bool { if case .found = probe { true } else { false } }

    private func begin() {
        guard case .wanted = probe else { return }
        probe = .running
        let (initProgram, wanted, enclosure, isSystem) = (
            options.initProgram, options.limitsBy, enclosure, options.isSystem
        )
        let maySurvive = maySurvive
        do {
            try startThread(named: "exthost-probe") {
                let found = LimitProbe(
                    initProgram, wanted: wanted, treeKill: enclosure, isOthers: isSystem, maySurvive: maySurvive
                ).found
                Task { @HostActor [weak self] in self?.probed(found) }
            }
        } catch {
            probed(LimitCapabilities(problems: ["no thread to test them: \(error)"]))
        }
    }

    private func probed(_ means: LimitCapabilities) {
        probe = .found(means)
        for problem in means.problems { options.logger.info("limits by \(means.summary): \(problem)") }
        keepClean(means.hierarchies)
        survivingMeans = maySurvive ? means.replacingHierarchies(make) : means
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
        onChange?()
    }

    // MARK: Launches

    /// Prepares a launch for the limits of `bundle` and for a group that holds its processes together, and sets them in
    /// `attributes`.
    ///
    /// - Parameter survives: whether the process may outlive the daemon, and its groups with it.
    /// - Returns: nil where there is neither a limit nor a group.
    /// - Throws: a limit cannot be set, and nothing is to be launched without it.
    func prepare(
        _ bundle: ExtensionBundle, _ attributes: inout SpawnAttributes, for request: RequestIdentifier?, survives: Bool
    ) throws(ExtensionHostError) -> LimitWatch? {
        let set = limits(of: bundle)
        // As above.
        let limits = !bundle.isExtension ? set : Backstop.limits.overridden(by: set)
        let trees = survives ? survivingTrees : trees
        guard !limits.isEmpty || trees != nil else { return nil }
        var means = LimitCapabilities()
        if case .found(let found) = probe { means = survives ? survivingMeans : found }
        let isEnclosed = attributes.enclosure != .session
        lastNumber += 1
        let group: LimitGroup?
        do throws(SystemError) {
            group = try LimitGroup.make(
                means, name: GroupName.text(lastNumber, bundle.identifier, request), memory: set[.memory],
                tasks: set[.tasks], spareTasks: isEnclosed ? 1 : 0,
                trees: trees)
        } catch {
            throw ExtensionHostError(
                .launchFailed, "the limits of \(bundle.identifier) cannot be set",
                remedy: "Restart the daemon; exthostd --limits-by poll needs no control groups", cause: "\(error)")
        }
        attributes.controlGroups = group?.members ?? []
        if let count = limits[.descriptors] {
            // A backstop raises no limit that is lower already.
            let descriptors =
                set[.descriptors] == nil
                ? DescriptorLimit.forExtensions.lowered(to: count) : Self.limit(RLIMIT_NOFILE, count)
            attributes.limits = attributes.limits.filter { $0.resource != descriptors.resource } + [descriptors]
        }
        if let milliseconds = limits[.cpu] {
            // The kernel's limit has whole seconds only; the poller enforces the rest. A process that does not end by
            // SIGXCPU is killed a second later (setrlimit(2)).
            let seconds = UInt64((milliseconds + 999) / 1000)
            attributes.limits.append(
                .init(resource: Int32(RLIMIT_CPU.rawValue), soft: seconds, hard: seconds + 1))
        }
        if let count = set[.tasks], case .rlimit = means.tasks {
            // The init is one more task in the same user namespace.
            attributes.limits.append(Self.limit(__RLIMIT_NPROC, count + 1))
        } else if set[.tasks] == nil, let count = limits[.tasks], let tasks = TaskLimit.ofNamespace(count, attributes) {
            attributes.limits.append(tasks)
        } else if let count = limits[.tasks], let tasks = TaskLimit.ofGuardian(count, attributes) {
            attributes.limits.append(tasks)
        }
        return LimitWatch(limits, set: set, group: group, isEnclosed: isEnclosed, number: lastNumber, limiter: self)
    }

    /// Adopts the limits of a process of another daemon, as it was launched with them.
    ///
    /// - Throws: a group that limits the process no longer exists.
    func adopt(_ handed: HandedProcess) throws(SystemError) -> LimitWatch? {
        let group = try LimitGroup.adopt(handed.groups)
        guard group != nil || !handed.limits.isEmpty else { return nil }
        lastNumber += 1
        var set = handed.limits
        for name in ResourceLimits.Name.allCases where set[name] == Backstop.limits[name] { set[setting: name] = nil }
        return LimitWatch(
            handed.limits, set: set, group: group, isEnclosed: true, number: lastNumber, limiter: self,
            told: Set(handed.reached))
    }

    /// Removes the groups of a process of another daemon that is not adopted, once the process has left them.
    func leave(_ groups: [HandedGroup]) {
        for group in groups {
            let plain = HandedGroup(path: group.path, version: group.version, limitsMemory: false, limitsTasks: false)
            if let left = try? LimitGroup.adopt([plain]) { remove(left) }
        }
    }

    /// Removes the empty groups of earlier daemons, except `known`. It reads folders, so it uses a thread.
    func sweep(allBut known: [HandedGroup]) {
        let known = Set(known.map(\.path))
        try? startThread(named: "exthost-sweep") {
            ControlGroupHierarchy.forTrees()?.surviving.sweep(allBut: known)
            for controller in ["memory", "pids"] {
                ControlGroupHierarchy.with(controller: controller, version: .one)?.surviving.sweep(allBut: known)
            }
        }
    }

    private static func limit(_ resource: __rlimit_resource, _ count: Int) -> SpawnAttributes.ResourceLimit {
        .init(resource: Int32(resource.rawValue), soft: UInt64(count), hard: UInt64(count))
    }

    func poller() throws(SystemError) -> LimitPoller {
        if let startedPoller { return startedPoller }
        let poller = try LimitPoller()
        startedPoller = poller
        return poller
    }

    // MARK: Cleaning up

    func remove(_ group: LimitGroup) {
        leftovers.append(group)
        leftovers.removeAll { $0.remove() }
    }

    /// Stops the poller and removes all folders, because the daemon ends and its extensions are gone.
    func close() {
        startedPoller?.stop()
        startedPoller = nil
        leftovers.removeAll { $0.remove() }
        if case .found(let means) = probe {
            for hierarchy in means.hierarchies + survivingMeans.hierarchies { hierarchy.remove() }
        }
        trees?.remove()
        survivingTrees?.remove()
        leases = []
    }
}
