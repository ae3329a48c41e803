// ModelObserver: those that watch the model and the objects that perform its effects: the journal, the log, faults on demand.

import EventLoop
import ExtensionHostModel
import ExtensionPoints

/// Something that happened to a process, and is no effect of the model. A process has the number that the model has for it.
enum LifecycleEvent {
    /// A process of this extension is about to be spawned.
    case spawning(extension: String)
    /// The program runs: `pid` is its own, `before` that of the init around it.
    case begun(process: Int, pid: Int, before: Int)
    /// The program was seen to start, and has said nothing yet.
    case started(process: Int)
    /// The process has said hello.
    case ready(process: Int)
    /// A process that was launched ahead is given its first request.
    case taken(process: Int)
    /// The process is given a request of this host.
    case serves(process: Int, host: String)
    /// The process has answered a request, and the host has been sent the answer.
    case answerSent(process: Int)
    /// A request that the process has answered is closed.
    case answered(process: Int)
    /// A load is about to be sent to the host.
    case loadBegun(process: Int)
    /// The answer to a load has come, and is about to be sent to the process.
    case loadAnswered(process: Int)
    /// The process has reached a limit that does not end it.
    case limited(process: Int, by: ResourceLimits.Name)
}

/// An observer is told of each effect and event before anything follows of it.
@HostActor
protocol ModelObserver: AnyObject {
    func willPerform(_ effect: LifecycleModel.Effect)
    func happened(_ event: LifecycleEvent)
}
