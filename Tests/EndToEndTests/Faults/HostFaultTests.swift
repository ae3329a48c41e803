// HostFaultTests: hosts that send nonsense to sound extensions, or die at the wrong moment; the extension serves others
// on.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

struct HostFaultTests {
    /// The extension that gets these serves the healthy request, too.
    @Test(arguments: [
        ("nonsenseItems", Cause.cancelledByExtension), ("noItems", .cancelledByExtension),
        ("emptyItems", .cancelledByExtension), ("nonsenseLoad", .completed),
        ("answersAfterCancel", .completed), ("strangersProgress", .cancelledByExtension),
        ("wrongClass", .cancelledByExtension),
    ])
    func nonsenseFromAHostEndsItsOwnRequestOnly(act: String, cause: Cause) async throws {
        try await besideAHealthyRequest(try TestBundles.withPuppet()) { daemon in
            let verdict = try await HostilePeer.run(as: "host", act, against: daemon)
            #expect(verdict.message == cause.rawValue)
            #expect(try await daemon.control.processes().count == 1)
        }
    }

    /// The daemon passes on no memory that its sender can still cut off, whatever kit the extension is written with.
    @Test(arguments: ["shrinkingItems", "shrinkingPayload", "unsealedItems"], Language.allCases)
    func memoryWithoutSealsIsNotDelivered(act: String, language: Language) async throws {
        try await besideAHealthyRequest(try TestBundles.withPuppet(language)) { daemon in
            let verdict = try await HostilePeer.run(as: "host", act, against: daemon)
            #expect(verdict.code == ExtensionHostError.Code.invalidArgument.rawValue)
            #expect(try await daemon.control.processes().count == 1)
        }
    }

    @Test(arguments: ["unsealedValue", "writableFile", "noFile"])
    func aDescriptorThatIsNotWhatItIsSaidToBeFailsItsLoad(act: String) async throws {
        try await besideAHealthyRequest(try TestBundles.withPuppet()) { daemon in
            let verdict = try await HostilePeer.run(as: "host", act, against: daemon)
            #expect(verdict.message == "refused")
            #expect(try await daemon.control.processes().count == 1)
        }
    }

    /// What the extension gets is the file at one of its lengths, or an error; it is there afterwards.
    @Test func aFileThatItsHostCutsWhileItIsReadHurtsNobody() async throws {
        try await besideAHealthyRequest(try TestBundles.withPuppet()) { daemon in
            let verdict = try await HostilePeer.run(as: "host", "shrinkingFile", against: daemon)
            #expect([Cause.completed.rawValue, Cause.cancelledByExtension.rawValue].contains(verdict.message))
            #expect(try await daemon.control.processes().count == 1)
        }
    }

    @Test func aHostThatAnswersALoadWithSomethingElseIsCutOff() async throws {
        try await besideAHealthyRequest(try TestBundles.withPuppet()) { daemon in
            let verdict = try await HostilePeer.run(as: "host", "errorForLoad", against: daemon)
            #expect(verdict.code == ExtensionHostError.Code.protocolViolation.rawValue)
            #expect(verdict.message.contains("as the answer to a load"))
        }
    }

    @Test(arguments: [("answersTwice", "an answer to serial 3"), ("nonsenseProgress", "wrong type for completed")])
    func aHostThatAnswersTwiceOrTellsOfNoProgressIsCutOff(act: String, words: String) async throws {
        try await besideAHealthyRequest(try TestBundles.withPuppet()) { daemon in
            let verdict = try await HostilePeer.run(as: "host", act, against: daemon)
            #expect(verdict.code == ExtensionHostError.Code.protocolViolation.rawValue)
            #expect(verdict.message.contains(words), "\(verdict)")
        }
    }

    @Test func aTimeoutThatIsNoNumberIsRefused() async throws {
        try await besideAHealthyRequest(try TestBundles.withPuppet()) { daemon in
            let verdict = try await HostilePeer.run(as: "host", "noTime", against: daemon)
            #expect(verdict.code == ExtensionHostError.Code.invalidArgument.rawValue)
        }
    }

    @Test(arguments: Language.allCases) func aHostThatDiesDuringItsRequestTakesNobodyWithIt(language: Language)
        async throws
    {
        try await besideAHealthyRequest(try TestBundles.withPuppet(language)) { daemon in
            let host = try await daemon.host("dying")
            let request = try await host.begin(puppet, items: [order("hang")])
            host.disconnect()
            #expect(await request.outcome.cause == .connectionLost)
            let end = try await daemon.event { $0.request == request.identifier && EventName.ends.contains($0.event) }
            #expect(end.cause == .cancelledByHost)
        }
    }

    @Test(arguments: Language.allCases) func aHostThatDiesDuringALoadFailsTheLoadByName(language: Language) async throws
    {
        try await besideAHealthyRequest(try TestBundles.withPuppet(language)) { daemon in
            let host = try await daemon.host("dying")
            let asked = OneSignal()
            let kept = Kept<NSItemProvider.CompletionHandler>()
            let provider = NSItemProvider()
            provider.registerItem(forTypeIdentifier: "public.url") { completion, _, _ in
                kept.keep(completion)
                asked.fire()
            }
            let request = try await host.begin(puppet, items: [order("load", attachments: [provider])])
            await asked.wait()
            host.disconnect()
            #expect(await request.outcome.cause == .connectionLost)
            let end = try await daemon.event { $0.request == request.identifier && EventName.ends.contains($0.event) }
            #expect(end.cause == .cancelledByHost)
            let load = try await daemon.event {
                $0.request == request.identifier && $0.event == EventName.itemLoadFinished.rawValue
            }
            #expect(load.detail?.hasPrefix("failed: ") == true)
        }
    }
}
