// BadSampleTests: one scenario that a sound extension passes and eight bad ones fail, each for the reason that it has.

import ExtensionHostTesting
import Foundation
import Testing

@Suite struct BadSampleTests {
    /// What any extension that shares a link has to do.
    private static let scenario = """
        limit 1min
        test "a link"
          begin --url https://example.org/a
          expect outcome completed
          expect item userInfo.shared = "https://example.org/a"
          expect loads 1
        test "a link as bytes"
          begin --data public.url=link.txt
          expect outcome completed
          expect item userInfo.shared = "https://example.org/bytes"
        test "one after the other"
          begin --url https://example.org/a
          expect outcome completed
          begin --url https://example.org/b
          expect outcome completed
          expect item userInfo.shared = "https://example.org/b"
          expect processes 1
        test "afterwards"
          begin --url https://example.org/a
          expect outcome completed
          advance 15s
          expect no process
          expect exit idle
        """

    /// Which of its tests fails, and words of `found` and `remedy` there. What comes after it in the same test is not
    /// tried.
    private static let failures: [TrialExtension: [String: (found: String, remedy: String)]] = [
        .goodLink: [:],
        .forceCasts: ["a link as bytes": ("interrupted (crashed)", "Read its last output below")],
        .crashesOnData: ["a link as bytes": ("interrupted (crashed)", "Read its last output below")],
        .neverCompletes: [
            "a link": ("the request is open, and no pending event can end it", "Answer on every path"),
            "a link as bytes": ("the request is open", "Answer"),
            "one after the other": ("the request is open", "Answer"),
            "afterwards": ("the request is open", "Answer"),
        ],
        .completesTwice: [
            "a link": ("context.misused", "Answer each request once"),
            "a link as bytes": ("context.misused", "Answer each"),
            "one after the other": ("context.misused", "Answer each"), "afterwards": ("context.misused", "Answer each"),
        ],
        .ignoresExpiry: ["afterwards": ("expired", "Return from the completion handler")],
        .keepsState: ["one after the other": (#"userInfo.shared is "https://example.org/a""#, "")],
        .notForTwo: [:],
        .exitsInstead: [
            "a link": ("interrupted (exitedEarly)", "never exit"), "a link as bytes": ("interrupted (exitedEarly)", ""),
            "one after the other": ("interrupted (exitedEarly)", ""), "afterwards": ("interrupted (exitedEarly)", ""),
        ],
        .wrongItem: ["a link as bytes": (#"userInfo.shared is "25 bytes""#, "")],
    ]

    // spec: P-122
    // not simulated: N-013
    @Test(arguments: TrialExtension.allCases)
    func eachSampleFailsWhereItIsWrongAndSaysWhy(sample: TrialExtension) async throws {
        let run = try TrialRun()
        let file = try run.write(Self.scenario)
        _ = try run.write("https://example.org/bytes", name: "link.txt")
        let (status, tests) = try await run.results([file, "--extension", sample.identifier])
        let expected = try #require(Self.failures[sample])
        #expect(status == (expected.isEmpty ? 0 : 1))
        #expect(tests.count == 4)
        for (name, test) in tests {
            guard let (found, remedy) = expected[name] else {
                #expect(test["verdict"] as? String == "passed", "\(name): \(test)")
                continue
            }
            #expect(test["verdict"] as? String == "failed", "\(name)")
            #expect((test["found"] as? String)?.contains(found) == true, "\(name): \(test)")
            #expect(remedy.isEmpty || (test["remedy"] as? String)?.contains(remedy) == true, "\(name): \(test)")
            #expect((test["at"] as? String)?.hasPrefix("\(file):") == true)
            #expect((test["timeline"] as? [String])?.contains { $0.contains("request.delivered") } == true)
        }
    }

    /// Under the scenario's clock one is served after the other; at the same moment they are in the matrix, which finds
    /// `notForTwo`.
    @Test func twoThatAreBegunTogetherAreServedByASoundSample() async throws {
        let run = try TrialRun()
        let file = try run.write(
            """
            test "two at once"
              begin as first --url https://example.org/a
              start as second --url https://example.org/b
              expect first outcome completed
              expect second outcome completed
              expect first item userInfo.shared = "https://example.org/a"
              expect second item userInfo.shared = "https://example.org/b"
              expect processes 1
            """)
        let good = try await run.results([file, "--extension", TrialExtension.goodLink.identifier])
        #expect(good.status == 0, "\(good.tests)")
    }
}
