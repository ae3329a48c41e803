// RuleTests: the decisions about answers, tables of what comes in and what follows.

import Testing
import TransferMessages

@testable import TransferService

@Suite struct RuleTests {
    private func answer(_ status: Int, _ fields: KeyValuePairs<String, String> = [:]) -> TransferResponse {
        TransferResponse(
            url: "https://example.org/a", status: status, headers: fields.map { TransferHeader($0.key, $0.value) })
    }

    private let resumed = DownloadState(offset: 100, validator: "\"v1\"", expected: 300)

    // spec: BT-28
    @Test("BT-28: a download goes on only after a 206 with the same strong tag and the right place")
    func resumptions() {
        let rows: [(TransferResponse, AnswerDecision)] = [
            (answer(206, ["ETag": "\"v1\"", "Content-Range": "bytes 100-299/300"]), .goOn(expected: 300)),
            (answer(206, ["etag": "\"v1\"", "content-range": "bytes 100-299/*"]), .goOn(expected: 300)),
            (answer(206, ["ETag": "\"v1\"", "Content-Range": "bytes 100-199/300"]), .goOn(expected: 300)),
            (answer(206, ["ETag": "\"v2\"", "Content-Range": "bytes 100-299/300"]), .startAnew),
            (answer(206, ["ETag": "W/\"v1\"", "Content-Range": "bytes 100-299/300"]), .startAnew),
            (answer(206, ["Content-Range": "bytes 100-299/300"]), .startAnew),
            (answer(206, ["ETag": "\"v1\"", "Content-Range": "bytes 99-299/300"]), .startAnew),
            (answer(206, ["ETag": "\"v1\"", "Content-Range": "bytes 100-399/400"]), .startAnew),
            (answer(206, ["ETag": "\"v1\"", "Content-Range": "bytes 100-299/299"]), .startAnew),
            (answer(206, ["ETag": "\"v1\""]), .startAnew),
            (
                answer(200, ["ETag": "\"v2\"", "Content-Length": "250"]),
                .store(validator: "\"v2\"", expected: 250)
            ),
            (answer(200, ["ETag": "W/\"v2\""]), .store(validator: nil, expected: nil)),
            (answer(200, ["ETag": "v2"]), .store(validator: nil, expected: nil)),
            (answer(404, ["ETag": "\"v1\"", "Content-Length": "9"]), .store(validator: nil, expected: 9)),
        ]
        for (answer, decision) in rows { #expect(ResumeRule.decide(answer, resumed) == decision, "\(answer)") }
        #expect(
            ResumeRule.decide(answer(206, ["Content-Range": "bytes 0-9/10"]), DownloadState()) == .tryAgain(after: nil))
        #expect(
            ResumeRule.decide(answer(206, ["ETag": "\"v1\""]), DownloadState(hasOwnRange: true))
                == .store(validator: nil, expected: nil))
    }

    // spec: BT-29
    @Test("BT-29: 416 completes a download that has all bytes; another starts anew once")
    func unsatisfiedRanges() {
        var whole = DownloadState(offset: 300, validator: "\"v1\"", expected: 300)
        #expect(ResumeRule.decide(answer(416, ["Content-Range": "bytes */300"]), whole) == .complete)
        for fields: KeyValuePairs<String, String> in [
            ["Content-Range": "bytes */301"], ["Content-Range": "bytes */"], [:],
            ["Content-Range": "bytes */300", "ETag": "\"v2\""], ["Content-Range": "bytes 0-1/300"],
        ] {
            whole.hasStartedAnew = false
            #expect(ResumeRule.decide(answer(416, fields), whole) == .startAnew, "\(fields)")
            whole.hasStartedAnew = true
            #expect(ResumeRule.decide(answer(416, fields), whole) == .store(validator: nil, expected: nil), "\(fields)")
        }
        whole.expected = nil
        #expect(ResumeRule.decide(answer(416, ["Content-Range": "bytes */300"]), whole) == .complete)
    }

    @Test func answersThatMayChangeAreTriedAgain() {
        let date = answer(503, ["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"])
        var state = DownloadState(now: 784_111_777 - 40)
        #expect(ResumeRule.decide(date, state) == .tryAgain(after: 40))
        #expect(ResumeRule.decide(answer(429, ["Retry-After": "7"]), state) == .tryAgain(after: 7))
        #expect(ResumeRule.decide(answer(502, ["Retry-After": "-7"]), state) == .tryAgain(after: nil))
        state.retriesStatus = false
        #expect(ResumeRule.decide(date, state) == .store(validator: nil, expected: nil))
    }

    @Test func datesOfHTTP() {
        #expect(httpDate("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(httpDate("Tue, 29 Feb 2000 12:00:00 GMT") == 951_825_600)
        #expect(httpDate("Sun, 31 Dec 2023 23:59:59 GMT") == 1_704_067_199)
        for text in [
            "", "Sun, 06 Nov 1994 08:49:37 CET", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 8:49 GMT",
        ] {
            #expect(httpDate(text) == nil, "\(text)")
        }
    }

    // spec: BT-27
    @Test("BT-27: attempts follow after 1, 2, 4 … at most 300 s, each changed by up to a fifth")
    func delays() {
        for (attempt, base) in [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].enumerated() {
            let delays = (0..<200).map { RetryRule.delay(attempt: attempt + 1, task: $0, seed: 7) }
            #expect(delays.allSatisfy { (base * 0.8...base * 1.2).contains($0) })
            #expect(Set(delays).count == 200)
            #expect((delays.max() ?? 0) - (delays.min() ?? 0) > base * 0.35)
            #expect(delays == (0..<200).map { RetryRule.delay(attempt: attempt + 1, task: $0, seed: 7) })
        }
        #expect(RetryRule.delay(attempt: 5_000, task: 1, seed: 0) <= 360)
    }

    @Test func requestsOfStrangersAreChecked() {
        func code(_ url: String, _ method: String = "GET", _ headers: [TransferHeader] = []) -> Int? {
            TransferRequest(url: url, method: method, headers: headers).fault?.code
        }
        #expect(code("https://u:p@[::1]:8080/a?b#c") == nil)
        #expect(TransferRequest(url: "http://u:p@Host.Example:80/a@b").address?.host == "host.example")
        #expect(code("ftp://example.org/") == URLErrorCode.unsupportedURL)
        #expect(code("file:///etc/passwd") == URLErrorCode.unsupportedURL)
        for url in [
            "", "example.org", "http://", "http:///a", "http://a b/", "http://ü/", "http://a/\r\nX: y", "1://a",
        ] {
            #expect(code(url) == URLErrorCode.badURL, "\(url)")
        }
        #expect(code("http://a/", "GET / HTTP/1.1\r\nX:") == URLErrorCode.unknown)
        #expect(code("http://a/", "GET", [TransferHeader("A", "b\r\nC: d")]) == URLErrorCode.unknown)
        #expect(code("http://a/", "GET", [TransferHeader("A:", "b")]) == URLErrorCode.unknown)
        #expect(code("http://a/", "GET", [TransferHeader("A", "grüße\tb")]) == nil)
        let sent = [TransferHeader("content-length", "9"), TransferHeader("A", "own")].sent(
            with: [TransferHeader("a", "session"), TransferHeader("B", "session"), TransferHeader("If-Range", "x")])
        #expect(sent == [TransferHeader("A", "own"), TransferHeader("B", "session")])
    }
}
