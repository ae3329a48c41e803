// ProcessLife: a process machine alone, with what the daemon has beside it.

import ExtensionProtocol
import LinuxSystem
import Testing

@testable import ExtensionHostModel

/// Takes events as the daemon would bring them, applies the effects, and checks after each event what must always hold.
struct ProcessLife: Hashable {
    typealias Machine = ProcessStateMachine

    static let first = RequestIdentifier("00000000-0000-4000-8000-000000000001")!  // a literal of the right form
    static let second = RequestIdentifier("00000000-0000-4000-8000-000000000002")!  // as above

    private(set) var machine: Machine
    private(set) var surroundings: ProcessSurroundings
    private(set) var assigned: Set<RequestIdentifier> = []
    private(set) var open: Set<RequestIdentifier> = []

    var armed: Set<Machine.Timer> { surroundings.armed }
    var saidHello: Bool { surroundings.saidHello }
    var isClosed: Bool { surroundings.isClosed }
    var kills: Int { surroundings.kills }
    var reapings: Int { surroundings.reapings }
    var isSuspended: Bool { surroundings.isSuspended }

    init(_ policy: Machine.Policy, isPrewarmed: Bool = false) {
        machine = Machine(policy: policy, isPrewarmed: isPrewarmed)
        surroundings = ProcessSurroundings(policy)
    }

    @discardableResult
    mutating func take(_ event: Machine.Event) -> [Machine.Effect] {
        let before = machine
        note(event)
        let effects = machine.handle(event)
        #expect(!before.isOver || effects.isEmpty, "\(effects) after the end, by \(event)")
        for effect in effects {
            if case .endRequests = effect {
                #expect(!open.isEmpty, "no request was open for \(effect)")
                open = []
            }
            surroundings.perform(effect, of: event, before: before, after: machine)
        }
        surroundings.check(machine, open: open, after: event)
        return effects
    }

    /// Several events; the effects of the last.
    @discardableResult
    mutating func take(_ events: [Machine.Event]) -> [Machine.Effect] {
        var effects: [Machine.Effect] = []
        for event in events { effects = take(event) }
        return effects
    }

    private mutating func note(_ event: Machine.Event) {
        surroundings.note(event)
        switch event {
        case .assigned(let request):
            #expect(machine.takesRequests, "assigned to a process that takes none")
            assigned.insert(request)
            open.insert(request)
        case .answered(let request), .ended(let request, _), .failed(let request, _): open.remove(request)
        case .returned(let answers, _): #expect(answers.isDisjoint(with: open))
        default: break
        }
    }
}

extension ProcessLife {
    /// One that was launched ahead, has said hello and waits.
    static var waiting: ProcessLife {
        var life = ProcessLife(.onePerRequest, isPrewarmed: true)
        life.take(.hello)
        return life
    }

    /// One that has said hello and has the first request.
    static func serving(_ policy: Machine.Policy, and events: Machine.Event...) -> ProcessLife {
        var life = ProcessLife(policy)
        life.take([.assigned(first), .hello] + events)
        return life
    }
}
