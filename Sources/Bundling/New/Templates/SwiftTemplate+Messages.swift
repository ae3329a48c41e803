// SwiftTemplate+Messages: the templates for messages and calls.

extension SwiftTemplate {
    /// A message filter.
    var messageFilter: Parts {
        var parts = Parts(
            "a message filter that knows a word, and asks its server about other messages",
            className: "MessageFilterExtension", modules: ["ExtensionFoundation", "IdentityLookup"],
            run: "exthostctl run . --sms 'You have won a prize' --from +15555550123")
        parts.source = """
            // MessageFilterExtension: a message filter that knows a word, and asks its server about other messages.

            import IdentityLookup

            final class MessageFilterExtension: ILMessageFilterExtension, ILMessageFilterQueryHandling {
                func handle(
                    _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext,
                    completion: @escaping (ILMessageFilterQueryResponse) -> Void
                ) {
                    let response = ILMessageFilterQueryResponse()
                    if queryRequest.messageBody?.contains("prize") == true {
                        response.action = .junk
                        return completion(response)
                    }
                    // The host asks the server in Info.plist: a filter has no network.
                    context.deferQueryRequestToNetwork { answer, _ in
                        response.action = answer?.data == Data("junk".utf8) ? .junk : .allow
                        completion(response)
                    }
                }
            }

            """
        parts.test = "messagesAreFiltered"
        parts.session = """
                        let server = MessageServer(body: Data("junk".utf8))
                        let filter = MessageFilterHost(host.application, server: server)
                        for (text, deferrals) in [("You have won a prize", 0), ("Hello", 1)] {
                            let message = FilteredMessage(sender: "+15555550123", body: text)
                            let verdict = try await filter.verdict(
                                on: message, by: "\(project.extensionIdentifier)")
                            #expect(verdict.action == .junk && verdict.deferrals.count == deferrals)
                        }
            """
        return parts
    }

    /// A report of messages and calls.
    var report: Parts {
        var parts = Parts(
            "a view in which a person reports messages and calls as junk",
            className: "UnwantedCommunicationReportingExtension",
            modules: ["ExtensionFoundation", "IdentityLookup", "IdentityLookupUI", "UIKit"],
            run: "exthostctl run . --message 'You have won a prize' --tap Junk --done")
        parts.source = """
            // UnwantedCommunicationReportingExtension: a view in which a person reports messages and calls as junk.

            import IdentityLookup
            import IdentityLookupUI
            import UIKit

            final class UnwantedCommunicationReportingExtension: ILClassificationUIExtensionViewController {
                private let question = UILabel()
                private var sender = "Unknown"
                private var isJunk = false

                override func prepare(for request: ILClassificationRequest) {
                    let communications: [ILCommunication] =
                        switch request {
                        case let request as ILMessageClassificationRequest: request.messageCommunications
                        case let request as ILCallClassificationRequest: request.callCommunications
                        default: []
                        }
                    sender = communications.last?.sender ?? sender
                }

                override func viewDidLoad() {
                    super.viewDidLoad()
                    question.text = "Is \\(sender) junk?"
                    view.addSubview(question)
                    for (title, isJunk) in [("Junk", true), ("No junk", false)] {
                        let button = UIButton()
                        button.setTitle(title, for: .normal)
                        button.addAction(UIAction { [weak self] _ in self?.choose(isJunk) }, for: .touchUpInside)
                        view.addSubview(button)
                    }
                }

                private func choose(_ isJunk: Bool) {
                    self.isJunk = isJunk
                    // The system's button Done is enabled from now on.
                    extensionContext.isReadyForClassificationResponse = true
                }

                override func classificationResponse(for request: ILClassificationRequest) -> ILClassificationResponse {
                    let response = ILClassificationResponse(action: isJunk ? .reportJunk : .reportNotJunk)
                    // The host posts it to the server in Info.plist.
                    response.userInfo = ["sender": sender]
                    return response
                }
            }

            """
        parts.test = "messagesAreReported"
        parts.session = """
                        let server = MessageServer(body: Data())
                        let reports = ClassificationHost(host.application, server: server)
                        let message = ReportedCommunication(sender: "+15555550123", date: 0, body: "You have won a prize")
                        let session = try await reports.begin(
                            .messages([message]), with: "\(project.extensionIdentifier)")
                        #expect(!session.isReady)
                        try await session.use(.tap("Junk"))
                        let report = try await session.done()
                        #expect(report.action == .reportJunk && report.delivery == .posted(status: 200))
            """
        return parts
    }

    /// A call directory.
    var directory: Parts {
        var parts = Parts(
            "a call directory that blocks a number and names another",
            className: "CallDirectoryHandler", modules: ["ExtensionFoundation", "CallKit"],
            run: "exthostctl run . --lookup +15555550123 --lookup +15555550199")
        parts.source = """
            // CallDirectoryHandler: a call directory that blocks a number and names another.

            import CallKit

            final class CallDirectoryHandler: CXCallDirectoryProvider {
                override func beginRequest(with context: CXCallDirectoryExtensionContext) {
                    // The telephone has the whole directory already.
                    guard !context.isIncremental else { return context.completeRequest() }
                    // Numbers go in ascending order.
                    context.addBlockingEntry(withNextSequentialPhoneNumber: 15_555_550_123)
                    context.addIdentificationEntry(withNextSequentialPhoneNumber: 15_555_550_199, label: "\(name)")
                    context.completeRequest()
                }
            }

            """
        parts.test = "numbersAreKnown"
        parts.session = """
                        let directory = try await CallDirectoryHost(host.application).reload(
                            "\(project.extensionIdentifier)")
                        #expect(directory[15_555_550_123]?.isBlocked == true)
                        #expect(directory[15_555_550_199]?.label == "\(name)")
            """
        return parts
    }
}
