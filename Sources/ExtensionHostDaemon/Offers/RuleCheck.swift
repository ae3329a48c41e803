// RuleCheck: the check whether an extension's activation rule accepts a begun request.

import ActivationRules
import EventLoop
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// The evaluation of an extension's rule for one request.
struct RuleCheck: Sendable {
    let candidate: OfferCandidate
    let attachments: [[[String]]]
    let types: TypeSource
    /// The process of the host.
    let process: Int32

    /// The limits of an evaluation on the loop: types, bytes of their names, and steps of the rule.
    ///
    /// It takes well under a tenth of a millisecond.
    private static let quickTypes = 64
    private static let quickBytes = 4096
    private static let quickWork = 10_000

    /// Serves or refuses the request: at once if the answer is a quick yes, else when a thread of its own has found it.
    @HostActor
    func decide(
        _ request: Request, _ context: DaemonContext, _ inventory: Inventory,
        serve: @escaping @HostActor @Sendable (Request) -> Void
    ) {
        if isAcceptedQuickly { return serve(request) }
        let done = context.scheduler?.beginWork()
        // The request may have been cancelled meanwhile, or its host may be gone.
        let isAwaited = { @HostActor @Sendable in
            inventory.requests[request.identifier] === request && request.awaitsProcess
        }
        context.sideWork.run(named: "rule", of: process, isWanted: isAwaited) {
            candidate.offer(OfferSubject(OfferedTypes(attachments: attachments), types: types.table))
        } then: { result in
            if isAwaited() { settle(result, request, context, serve) }
            done?()
        }
    }

    private var isAcceptedQuickly: Bool {
        guard candidate.terms.isReady else { return false }
        guard case .rule(let rule) = candidate.condition else {
            if case .always = candidate.condition { return true }
            return false
        }
        var count = 0
        var bytes = 0
        for type in attachments.joined().joined() {
            count += 1
            bytes += type.utf8.count
        }
        guard types.isReady, count <= Self.quickTypes, bytes <= Self.quickBytes, attachments.count <= Self.quickTypes,
            attachments.joined().count <= Self.quickTypes,
            let subject = try? RuleSubject(attachments: attachments, types: types.table)
        else { return false }
        return (try? rule.matches(subject, work: Self.quickWork)) == true
    }

    @HostActor
    private func settle(
        _ result: Result<OfferExplanation, SideWork.Failure>, _ request: Request, _ context: DaemonContext,
        _ serve: @HostActor (Request) -> Void
    ) {
        guard !context.isStopping else { return request.fail(.daemonStopping, .daemonStopping) }
        guard case .success(let answer) = result else {
            return request.refuse(
                .quota,
                ExtensionHostError(
                    .internalError, "there is no thread to evaluate the activation rule",
                    remedy: "Allow the daemon more threads (ulimit -u)",
                    cause: "\(result)"))
        }
        guard !answer.offer.shown else { return serve(request) }
        request.refuse(
            .ruleMismatch,
            ExtensionHostError(
                .ruleMismatch, "\(candidate.bundle.identifier) is not offered these items: \(answer.offer.why)"))
    }
}
