// LifecycleModel+Launches: the process that serves a request, the launch of one for it, and the launches ahead.

package import ExtensionProtocol

extension LifecycleModel {
    /// Returns the process that would get the next request of this program; nil: one has to be launched.
    ///
    /// It is the one that has waited the longest, before one that has not said hello.
    package func choice(of program: Program) -> Int? {
        guard let numbers = processesByProgram[program.number] else { return nil }
        var best: (number: Int, isReady: Bool)?
        for number in numbers {
            guard let process = processes[number], process.machine.takesRequests else { continue }
            guard let (known, isReady) = best else {
                best = (number, process.isReady)
                continue
            }
            if process.isReady != isReady ? process.isReady : number < known { best = (number, process.isReady) }
        }
        return best?.number
    }

    mutating func takeOfLaunches(_ input: Input, _ step: inout Step) {
        switch input {
        case .seeksProcess(let request, let program): seek(request, program, &step)
        case .mayLaunch(let request): launch(request, &step)
        case .launched(let number, let launch): enter(number, launch, isReturning: false)
        case .launchFailed(let program): failed(program, .launchFailed, &step)
        case .prewarm: prewarm(&step)
        case .notPrewarmed(let program): prewarming.giveUp(program)
        case .breakerTried(let name): breakers.tried(name)
        case .breakerPauseOver(let name): breakers.pauseOver(name)
        case .breakersReset(let identifier, let user):
            for name in breakers.names(of: identifier, user: user) where breakers.close(name) {
                step.effects.append(.launch(.breakerClosed(name, isReset: true)))
            }
        case .owes(let number, let owes): processes[number]?.owesAnswer = owes
        case .opened(let number):
            processes[number]?.owesAnswer = false
            closeBreaker(of: number, &step)
        default: return
        }
    }

    // MARK: Requests

    private func awaitsProcess(_ request: RequestIdentifier) -> Bool {
        guard let served = requests[request] else { return false }
        return served.machine.state == .created && served.process == nil && !served.isLaunching
    }

    private mutating func seek(_ request: RequestIdentifier, _ program: Program, _ step: inout Step) {
        guard awaitsProcess(request) else { return }
        requests.change(request) { $0.program = program }
        if !give(request, program, &step) { step.effects.append(.launch(.needed(request))) }
    }

    /// - Returns: whether an existing process has decided about the request.
    private mutating func give(_ request: RequestIdentifier, _ program: Program, _ step: inout Step) -> Bool {
        guard let number = choice(of: program) else { return false }
        // A process that has served nobody becomes its first host's, like one that is launched for it.
        if processes[number]?.machine.served == 0, refuseForQuota(request, &step) { return true }
        assign(request, to: number, &step)
        return true
    }

    private mutating func launch(_ request: RequestIdentifier, _ step: inout Step) {
        guard awaitsProcess(request), let program = requests[request]?.program else { return }
        // Another request may have had a process launched while this one waited.
        if give(request, program, &step) || refuseForQuota(request, &step) { return }
        guard breakers[program.name].admits else { return refuse(request, .breakerOpen, .breakerOpen, &step) }
        breakers.tried(program.name)
        requests[request]?.isLaunching = true
        payAhead(for: request)
    }

    /// Whether a process has to be launched for the request now.
    package func isLaunching(_ request: RequestIdentifier) -> Bool { requests[request]?.isLaunching ?? false }

    /// - Returns: whether the host of the request may have no other process.
    private mutating func refuseForQuota(_ request: RequestIdentifier, _ step: inout Step) -> Bool {
        guard let payer = requests[request]?.payer, let (level, words) = excess(adding: Usage(processes: 1), to: payer)
        else {
            return false
        }
        refuse(request, .quota(level, words: words), .quota, &step)
        return true
    }

    private mutating func refuse(_ request: RequestIdentifier, _ why: LaunchRefusal, _ cause: Cause, _ step: inout Step)
    {
        step.effects.append(.launch(.refused(request, why)))
        tell(request, .refused(cause), &step)
    }

    // MARK: Processes

    mutating func enter(_ number: Int, _ launch: Launch, isReturning: Bool) {
        processes[number] = ServingProcess(
            machine: ProcessStateMachine(
                policy: launch.policy, isPrewarmed: launch.isPrewarmed, isReturning: isReturning),
            program: launch.program, isReady: isReturning)
        processesByProgram[launch.program.number, default: []].append(number)
        if launch.isPrewarmed { prewarming.waits(launch.program) }
    }

    /// Handles the exit of a process that was reaped.
    mutating func reaped(_ number: Int, _ cause: Cause, _ step: inout Step) {
        endPayment(for: number)
        guard let process = processes[number] else { return }
        // A process that dies at its launch is not launched ahead again.
        if process.machine.isPrewarmed, !process.isReady { prewarming.giveUp(process.program) }
        // An app that exits instead of taking its URL would be launched for the next one.
        if cause.isFailure || (cause == .exited && process.owesAnswer) {
            failed(process.program, cause, &step)
        } else {
            breakers.ended(process.program.name)
        }
    }

    mutating func forget(_ number: Int) {
        guard let program = processes.removeValue(forKey: number)?.program.number else { return }
        processesByProgram[program]?.removeAll { $0 == number }
        if processesByProgram[program]?.isEmpty == true { processesByProgram[program] = nil }
    }

    // MARK: Breakers

    private mutating func failed(_ program: Program, _ cause: Cause, _ step: inout Step) {
        guard let limit = configuration.breakerLimit else { return }
        let wasOpen = breakers[program.name].state != .closed
        if let pause = breakers.failed(program.name, limit: limit) {
            let failures = breakers[program.name].failures
            step.effects.append(.launch(.breakerOpened(program.name, failures: failures, pause: pause, cause)))
        } else if wasOpen {
            step.effects.append(.launch(.breakerClosed(program.name, isReset: false)))
        }
    }

    mutating func configure(_ next: Configuration, _ step: inout Step) {
        configuration = next
        guard next.breakerLimit == nil else { return }
        for (name, _) in breakers.open { step.effects.append(.launch(.breakerClosed(name, isReset: true))) }
        breakers = BreakerBook()
    }

    /// Closes the breaker of a process that has answered.
    mutating func closeBreaker(of number: Int, _ step: inout Step) {
        guard let name = processes[number]?.program.name, breakers.close(name) else { return }
        step.effects.append(.launch(.breakerClosed(name, isReset: false)))
    }

    // MARK: Processes ahead of requests

    /// Records the use of a program whose request has been delivered.
    mutating func delivered(_ request: RequestIdentifier, _ step: inout Step) {
        if let number = requests[request]?.process, let program = processes[number]?.program { use(program, &step) }
    }

    mutating func use(_ program: Program, _ step: inout Step) {
        prewarming.use(program)
        schedulePrewarming(&step)
    }

    /// Records the hello of a process that was launched ahead.
    mutating func isReady(_ number: Int, _ step: inout Step) {
        guard let process = processes[number], process.machine.isPrewarmed else { return }
        if process.machine.decided == nil {
            prewarming.isReady(process.program)
        } else {
            prewarming.giveUp(process.program)
        }
        schedulePrewarming(&step)
    }

    private mutating func schedulePrewarming(_ step: inout Step) {
        if prewarming.schedule() { step.effects.append(.launch(.schedulePrewarming)) }
    }

    /// Launches one process at a time: the daemon serves others in between.
    private mutating func prewarm(_ step: inout Step) {
        guard let program = prewarming.turn() else { return }
        if isMissing(program, &step) {
            prewarming.launches(program)
            step.effects.append(.launch(.prewarm(program)))
        } else {
            prewarming.giveUp(program)
        }
        schedulePrewarming(&step)
    }

    private func isMissing(_ program: Program, _ step: inout Step) -> Bool {
        let waiting = (processesByProgram[program.number] ?? []).count {
            processes[$0]?.machine.isWaiting == true && processes[$0]?.machine.takesRequests == true
        }
        guard waiting < program.prewarmed, breakers[program.name].state == .closed else { return false }
        let ofUser = prewarming.waiting(of: program.name.user)
        guard prewarming.waitingOfAll < configuration.prewarmLimit, ofUser < configuration.prewarmLimitOfUser else {
            step.effects.append(.launch(.prewarmLimit(waiting: prewarming.waitingOfAll, ofUser: ofUser)))
            return false
        }
        return true
    }
}
