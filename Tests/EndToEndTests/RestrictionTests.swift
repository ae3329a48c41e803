// RestrictionTests: what an app may do and an extension may not, asked of a real extension.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import Testing

@Suite struct RestrictionTests {
    private struct Answer: Equatable {
        let code: Int
        let message: String
        let reason: String
        let remedy: String
    }

    private static let messages = "com.apple.message-payload-provider"

    /// What the puppet was answered, by the name of what it asked for; nil where it may have it.
    private func answers(point: String = "com.apple.share-services", information: [String: Any] = [:]) async throws
        -> [String: Answer?]
    {
        let bundles = try TestBundles()
        try bundles.add(
            "puppet", program: SampleApplications.buildFolder + "/Puppet", point: point,
            principalClass: "Puppet.Puppet",
            information: information)
        return try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("restricted")])
            let said = try items(of: await request.outcome).first?.userInfo as? [String: [String: Any]] ?? [:]
            return said.mapValues { answer in
                guard let code = answer["code"] as? Int else { return nil }
                #expect(answer["domain"] as? String == ExtensionHostError.domain)
                return Answer(
                    code: code, message: answer["message"] as? String ?? "", reason: answer["reason"] as? String ?? "",
                    remedy: answer["remedy"] as? String ?? "")
            }
        }
    }

    private func isRefused(_ answer: Answer??, _ reason: String) -> Bool {
        guard let answer = answer ?? nil else { return false }
        return answer.code == 25 && answer.message.hasSuffix("not available to extensions")
            && answer.reason.contains(reason)
            && !answer.remedy.isEmpty
    }

    // spec: P-562, P-563, P-564, P-565, P-566, P-567, P-568, P-569
    // not simulated: N-036
    @Test func whatExtensionsMayNotDoIsRefusedWithItsReason() async throws {
        let answers = try await answers()
        let reasons = [
            "sharedApplication": "application object", "camera": "NSCameraUsageDescription",
            "microphone": "NSMicrophoneUsageDescription", "airDropReception": "an app opens",
            "backgroundAudio": "lives for its request", "voiceOverIP": "lives for its request",
            "longBackgroundWork": "completion handler", "marked": "its author has marked it", "hosting": "a host calls",
        ]
        #expect(Set(answers.keys) == Set(reasons.keys))
        for (activity, reason) in reasons {
            #expect(isRefused(answers[activity], reason), "\(activity): \(String(describing: answers[activity]))")
        }
        #expect((answers["marked"] ?? nil)?.message.hasPrefix("openSettings()") == true)
        #expect((answers["marked"] ?? nil)?.remedy == "Tell people where the setting is")
    }

    // spec: P-563, P-564
    @Test func aMessageAppMayUseWhatItDeclares() async throws {
        let both = try await answers(
            point: Self.messages,
            information: ["NSCameraUsageDescription": "For stickers", "NSMicrophoneUsageDescription": "x"])
        for (activity, answer) in both {
            #expect(
                (answer == nil) == ["camera", "microphone"].contains(activity),
                "\(activity): \(String(describing: answer))")
        }
        // What it has not declared, or only in name, stays closed, and another extension's declaration opens nothing.
        let one = try await answers(
            point: Self.messages, information: ["NSCameraUsageDescription": "", "NSMicrophoneUsageDescription": "x"])
        #expect(isRefused(one["camera"], "NSCameraUsageDescription") && one["microphone"] == .some(nil))
        let other = try await answers(information: ["NSCameraUsageDescription": "For scans"])
        #expect(isRefused(other["camera"], "message app"))
    }

    /// The error is the host's to read, too.
    // spec: P-561
    @Test func aRequestCancelledForItSaysSoToTheHost() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("camera")])
            guard case .cancelled(_, let error) = await request.outcome else {
                Issue.record("the outcome was \(await request.outcome)")
                return
            }
            let told = try #require(error as NSError?)
            #expect(told.domain == ExtensionHostError.domain && told.code == 25)
            #expect(told.localizedFailureReason?.contains("NSCameraUsageDescription") == true, "\(told.userInfo)")
            #expect(told.localizedRecoverySuggestion?.contains("containing app") == true)
        }
    }
}
