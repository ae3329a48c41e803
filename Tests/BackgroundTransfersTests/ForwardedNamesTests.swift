// ForwardedNamesTests: names of FoundationNetworking that files of a target with background sessions use as well.

import BackgroundTransfers
import Foundation
import Testing

/// Answers each request with its method and a text, in place of the network.
private final class FixedProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("\(request.httpMethod ?? "none") fixed".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
    override func stopLoading() {}
}

@Suite struct ForwardedNamesTests {
    @Test("the values of a configuration reach FoundationNetworking, and a session has a copy of them")
    func configurationsAreForwarded() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [FixedProtocol.self]
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.networkServiceType = .background
        let session = URLSession(configuration: configuration)
        configuration.protocolClasses = []
        configuration.httpShouldSetCookies = true
        let copy = session.configuration
        #expect(copy.protocolClasses?.count == 1 && !copy.httpShouldSetCookies && copy.urlCache == nil)
        #expect(copy.httpCookieAcceptPolicy == .never && copy.httpCookieStorage == nil)
        #expect(copy.networkServiceType == .background)
        let url = try #require(URL(string: "http://fixed.invalid/a"))
        #expect(String(decoding: try await session.data(from: url).0, as: UTF8.self) == "GET fixed")
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        let answer = try await session.upload(for: request, from: Data("x".utf8)).0
        #expect(String(decoding: answer, as: UTF8.self) == "PUT fixed")
        await withCheckedContinuation { done in session.reset { done.resume() } }
        await withCheckedContinuation { done in session.flush { done.resume() } }
        session.invalidateAndCancel()
    }

    // spec: BT-9
    @Test("BT-9: streams and asynchronous loads end the program in a background session, with the reason in words")
    func traps() async throws {
        let stream = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let session = URLSession(configuration: .background(withIdentifier: "s"))
            _ = session.uploadTask(withStreamedRequest: URLRequest(url: URL(string: "https://example.org")!))
        }
        #expect(words(stream).contains("has no upload of a stream"))
        let load = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let session = URLSession(configuration: .background(withIdentifier: "s"))
            _ = try await session.download(from: URL(string: "https://example.org")!)
        }
        #expect(words(load).contains("has no completion handlers"))
    }

    private func words(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }
}
