// LifecycleEvent: events of hosts, requests and processes beside the effects of the model, and the observers of both.

import EventLoop
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol

/// An event that is no effect of the model. A process has the number that the model has for it.
enum LifecycleEvent {
    case hostConnected(String)
    case hostDisconnected(String, pid: Int, detail: String?)
    /// A host or tool has lost its socket, and may come back.
    case connectionLost(host: String?, pid: Int)
    case connectionResumed(host: String?, pid: Int)

    case request(RequestIdentifier, RequestEvent)
    case process(Int, ProcessEvent)

    /// A process for this extension is about to be spawned.
    case spawning(extension: String)
    case launchFailed(extension: String, for: RequestIdentifier?, of: UInt32?, detail: String)
    /// A client has opened a connection with a service, or the connection has ended.
    case serviceOpened(ServiceEvent)
    case serviceClosed(ServiceEvent)
}

/// A client of a service: a host, an extension, an app, or a tool, which has neither name.
struct ServiceEvent {
    let host: String?
    let extensionIdentifier: String?
    let pid: Int
    let user: UInt32
    let detail: String
}

enum RequestEvent {
    case created(detail: String)
    /// The request waits for a debugger.
    case held
    /// The request has been delivered, to a process that was there before (warm) or was launched for it.
    case delivered(isWarm: Bool)
    /// The host has acknowledged the outcome, so many nanoseconds after it was told.
    case acknowledged(after: UInt64)
    case loadStarted(detail: String)
    case loadFinished(detail: String)
    case callStarted(detail: String)
    case callFinished(detail: String)
    /// The extension has answered the call that its point names under `Ends`. The host does not have the answer yet.
    case lastCallAnswered
}

enum ProcessEvent {
    /// The program runs: `pid` is its own, `before` that of the init around it.
    case begun(pid: Int, before: Int)
    /// The program was seen to start, and has said nothing yet.
    case started
    /// The process has said hello, so many nanoseconds after its spawn.
    case ready(kit: String, after: UInt64)
    /// A process that was launched ahead gets its first request.
    case taken
    /// The process gets a request of this host.
    case serves(host: String, isWarm: Bool)
    /// The process has answered a request, and the daemon has sent the answer to the host.
    case answerSent
    /// A question of a request is about to be sent, to the process or to the host.
    case asked(QuestionBroker.Kind)
    /// The answer to a question has come, and is about to be forwarded.
    case answered(QuestionBroker.Kind)
    case printed(detail: String)
    case contextFault(RequestIdentifier, detail: String)
    case refused(RequestIdentifier?, detail: String)
    case unresponsive(detail: String)
    /// The process has reached a limit, which ends the process if there is a cause.
    case limited(by: ResourceLimits.Name, Cause?, RequestIdentifier?, detail: String)
    case suspended
    case resumed
    case connectionLost
    case connectionResumed
    /// Another daemon launched the process.
    case adopted
    case openedApp(RequestIdentifier?, detail: String)
    case refusedURL(RequestIdentifier, detail: String)
    case exited(Cause, detail: String)
    /// The process is in no table any more.
    case gone
}

/// An observer of each effect, before the effect is performed.
@HostActor
protocol EffectObserver: AnyObject {
    func willPerform(_ effect: LifecycleModel.Effect)
}

/// An observer of each event, before anything follows from it.
@HostActor
protocol EventObserver: AnyObject {
    func happened(_ event: LifecycleEvent)
}
