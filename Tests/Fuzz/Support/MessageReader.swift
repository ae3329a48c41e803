// MessageReader: every kind of message, read from a dictionary, written, and read again.

import ExtensionProtocol
import PropertyListCoding

struct MessageReader: Sendable {
    let kind: MessageKind
    /// Whether the dictionary is such a message; a refusal is checked as one.
    let accepts: @Sendable (PropertyListDictionary) -> Bool

    private init<M: Message>(_ type: M.Type) {
        kind = M.kind
        accepts = { dictionary in
            let message: M
            do {
                message = try M(dictionary: dictionary)
            } catch {
                checkText(of: error)
                return false
            }
            let written = message.dictionary
            guard let again = try? M(dictionary: written) else { finding("\(M.kind) refuses what it wrote itself: \(written)") }
            // Reals may be not-a-number, so neither is compared by equality.
            must(isSame(.dictionary(again.dictionary), .dictionary(written)), "\(M.kind) changes by writing and reading")
            must("\(again)" == "\(message)", "\(M.kind) is another message after writing and reading")
            return true
        }
    }

    static let all: [MessageKind: MessageReader] = {
        let list: [MessageReader] = [
            .init(Hello.self), .init(Welcome.self), .init(Fence.self), .init(FenceReply.self), .init(Goodbye.self),
            .init(StillOpen.self),
            .init(Credit.self),
            .init(Acknowledge.self), .init(Success.self), .init(ErrorReply.self), .init(Begin.self), .init(Begun.self),
            .init(Cancel.self), .init(SetState.self), .init(Finished.self), .init(Exited.self), .init(Output.self),
            .init(Deliver.self), .init(HostStateChanged.self), .init(Cancelled.self), .init(Expired.self), .init(Terminate.self),
            .init(Complete.self), .init(CancelRequest.self), .init(HandlerFinished.self), .init(ContextFault.self),
            .init(LoadItem.self), .init(ItemLoaded.self), .init(Held.self), .init(CheckMainQueue.self),
            .init(MainQueueRuns.self), .init(ResetBreaker.self), .init(GetConfiguration.self), .init(ConfigurationReport.self),
            .init(GetStatistics.self), .init(Statistics.self),
            .init(ShowView.self), .init(UseView.self), .init(ViewUsed.self),
            .init(CancelLoad.self), .init(LoadProgress.self),
            .init(FollowClock.self), .init(ClockMoved.self), .init(Sleep.self), .init(CancelSleep.self),
            .init(OpenURL.self), .init(OpenApp.self), .init(AppOpened.self), .init(CloseApp.self), .init(Activate.self),
            .init(ListExtensions.self), .init(Page<ExtensionRecord>.self),
            .init(ListProcesses.self), .init(Page<ProcessRecord>.self), .init(ListHosts.self), .init(Page<HostRecord>.self),
            .init(ListExits.self), .init(Page<DeathRecord>.self), .init(ListRequests.self), .init(Page<RequestRecord>.self),
            .init(SetHostState.self), .init(Watch.self), .init(EventBatch.self), .init(AdvanceClock.self), .init(Status.self),
            .init(DaemonStatus.self), .init(Kill.self), .init(Killed.self), .init(ReadLog.self), .init(LogBatch.self),
            .init(Register.self), .init(Registered.self), .init(AddBundle.self), .init(RemoveBundle.self), .init(Elect.self),
            .init(BundleList.self), .init(ShowExtension.self), .init(ExtensionDetail.self),
            .init(MatchItems.self), .init(Page<OfferRecord>.self), .init(ExplainOffer.self), .init(OfferExplanation.self),
            .init(Record.self), .init(Recording.self), .init(Recorded.self), .init(EndRecording.self),
            .init(ListPoints.self), .init(Page<PointRecord>.self), .init(AddFault.self),
            .init(ListFaults.self), .init(Page<FaultRecord>.self), .init(ClearFaults.self),
        ]
        return Dictionary(uniqueKeysWithValues: list.map { ($0.kind, $0) })
    }()
}
