// ModelDriver: the driver of the model, which handles one input after the other and performs the effects of each.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol

/// Performs the effects of a step, in their order.
@HostActor
protocol EffectPerformer: AnyObject {
    func perform(_ effects: [LifecycleModel.Effect])
}

/// Runs each input to completion.
///
/// An input that comes while effects are performed waits until the last of them is done. No part of the daemon
/// therefore sees a step that is half performed.
@HostActor
final class ModelDriver {
    private enum Item {
        case input(LifecycleModel.Input)
        case work(@HostActor () -> Void)
    }

    /// The performer of the effects; set before the first input.
    var performer: (any EffectPerformer)?
    /// The observers, called in this order.
    var effectObservers: [any EffectObserver] = []
    var eventObservers: [any EventObserver] = []
    private var model = LifecycleModel()
    private var waiting: [Item] = []
    private var isDraining = false
    /// Whether the effects of a step are being performed. The model is ahead of them then.
    private var isPerforming = false

    nonisolated init() {}

    var questions: QuestionBroker {
        _read { yield model.questions }
        _modify { yield &model.questions }
    }

    /// Handles an input: at once, or after the running step and what waits for its end.
    func post(_ input: LifecycleModel.Input) {
        guard !isPerforming else { return waiting.append(.input(input)) }
        step(input)
        drain()
    }

    /// Calls `body` when no step is running: at once, or after the waiting inputs. It is for a decision that depends on
    /// them.
    func betweenSteps(_ body: @escaping @HostActor () -> Void) {
        guard !isPerforming else { return waiting.append(.work(body)) }
        body()
        drain()
    }

    /// Reports an event to the observers.
    func tell(_ event: LifecycleEvent) { for observer in eventObservers { observer.happened(event) } }

    private func step(_ input: LifecycleModel.Input) {
        guard let performer else { preconditionFailure("an input before there is a performer") }
        isPerforming = true
        performer.perform(model.handle(input))
        isPerforming = false
    }

    // MARK: What the model knows

    func state(ofHost name: String) -> HostStateName? { look { $0.state(ofHost: name) } }

    func excess(adding more: Usage, toHost name: String) -> (level: QuotaBook.Level, words: String)? {
        look { $0.excess(adding: more, toHost: name) }
    }

    func state(of request: RequestIdentifier) -> RequestStateMachine.State? { look { $0.state(of: request) } }

    func isReturning(_ request: RequestIdentifier) -> Bool { look { $0.isReturning(request) } }

    func takesAnswer(_ request: RequestIdentifier) -> Bool { look { $0.takesAnswer(request) } }

    func isLaunching(_ request: RequestIdentifier) -> Bool { look { $0.isLaunching(request) } }

    func choice(of program: Program) -> Int? { look { $0.choice(of: program) } }

    subscript(process number: Int) -> ProcessStateMachine? { look { $0[process: number] } }

    var breakers: BreakerBook { look { $0.breakers } }

    /// Looks at the model in place, as for a change. For reading alone the compiler copies it, with a reference to each
    /// of its tables.
    private func look<Result>(_ body: (inout LifecycleModel) -> Result) -> Result { body(&model) }

    private func drain() {
        guard !isDraining, !waiting.isEmpty else { return }
        isDraining = true
        var next = 0
        while next < waiting.count {
            let item = waiting[next]
            next += 1
            switch item {
            case .input(let input): step(input)
            case .work(let body): body()
            }
        }
        waiting.removeAll(keepingCapacity: true)
        isDraining = false
    }
}
