// StepPerformer: brings each effect of a step to the object that performs it, and tells the observers first.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol

/// An observer writes before the effect is performed, and a fault that is injected then befalls the effect.
@HostActor
final class StepPerformer: EffectPerformer {
    private unowned let engine: Engine
    private let log: EffectLog

    init(engine: Engine) {
        self.engine = engine
        log = EffectLog(engine: engine)
    }

    func perform(_ effects: [LifecycleModel.Effect]) {
        // The process of the step is held, because the step may be its last.
        var held: ExtensionProcess?
        func process(_ number: Int) -> ExtensionProcess? {
            if held?.number != number { held = engine.supervisor.processes[number] }
            return held
        }
        for effect in effects {
            if case .process(let number, let effect) = effect { process(number)?.prepare(for: effect) }
            tellObservers(of: effect)
            switch effect {
            case .request(let request, let effect): engine.requests[request]?.perform(effect)
            case .process(let number, let effect): process(number)?.perform(effect)
            case .awaitDebugger(let request): engine.requests[request]?.lookForDebugger()
            case .awaitItems(let request): engine.requests[request]?.awaitItems()
            case .endQuestion(let number, let kind): engine.questions.requestEnded(number, kind)
            case .settled(let number, _): process(number)?.settled()
            }
        }
    }

    /// The fault injector comes first, so its line stands in the log before the line of the effect.
    private func tellObservers(of effect: LifecycleModel.Effect) {
        engine.faults?.willPerform(effect)
        engine.keeping?.willPerform(effect)
        log.willPerform(effect)
    }
}
