// StepPerformer: the dispatcher that first notifies the observers of each effect, then passes it to the object that
// performs it.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol

/// Performs the launch effects of a step.
@HostActor
protocol LaunchPerformer: AnyObject {
    func perform(_ effect: LifecycleModel.LaunchEffect)
}

/// Performs the effects of each step of the model, in order.
///
/// Observers log an effect before it is performed, so a fault that they inject then hits the effect.
@HostActor
final class StepPerformer: EffectPerformer {
    private let context: DaemonContext
    private let inventory: Inventory
    /// Ends a question whose request has ended.
    var endQuestion: @HostActor (Int, QuestionBroker.Kind) -> Void = { _, _ in }
    /// Tells extensions that the state of their host has changed.
    var announce: @HostActor (HostNotification, String) -> Void = { _, _ in }
    var launches: (any LaunchPerformer)?

    init(_ context: DaemonContext, _ inventory: Inventory) {
        self.context = context
        self.inventory = inventory
    }

    func perform(_ effects: [LifecycleModel.Effect]) {
        // Holds the process of the step, because the step may remove it from the inventory.
        var held: ExtensionProcess?
        func process(_ number: Int) -> ExtensionProcess? {
            if held?.number != number { held = inventory.processes[number] }
            return held
        }
        let observers = context.driver.effectObservers
        for effect in effects {
            if case .process(let number, let effect) = effect { process(number)?.prepare(for: effect) }
            for observer in observers { observer.willPerform(effect) }
            switch effect {
            case .host(let name, let edge): announce(edge.notification, name)
            case .request(let identifier, let effect):
                guard let request = inventory.requests[identifier] else { continue }
                request.perform(effect)
                if effect == .close {
                    inventory.forget(identifier)
                    context.activityChanged()
                }
            case .process(let number, let effect): process(number)?.perform(effect)
            case .launch(let effect): launches?.perform(effect)
            case .assigned(let request, let number, let assignment):
                if let request = inventory.requests[request] { process(number)?.take(request, assignment) }
            case .awaitDebugger(let request): inventory.requests[request]?.lookForDebugger()
            case .awaitItems(let request): inventory.requests[request]?.awaitItems()
            case .endQuestion(let number, let kind): endQuestion(number, kind)
            case .settled(let number, _): process(number)?.settled()
            }
        }
    }
}
