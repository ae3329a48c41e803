// PendingRemovalsTests: which requests wait for which removals.

import ExtensionProtocol
import Testing

@testable import ExtensionHostDaemon

@Suite struct PendingRemovalsTests {
    @Test func aRequestWaitsUntilNoRemovalConcernsItsExtension() {
        var removals = PendingRemovals<RequestIdentifier>()
        #expect(!removals.concerns("a"))
        let first = removals.begin(["a", "b"])
        let second = removals.begin(["b", "c"])
        #expect(removals.concerns("a") && removals.concerns("b") && removals.concerns("c") && !removals.concerns("d"))
        let requests = (0..<4).map { _ in RequestIdentifier() }
        for (request, identifier) in zip(requests, ["b", "a", "b", "c"]) { removals.wait(request, for: identifier) }
        #expect(removals.end(first) == [requests[1]])
        #expect(removals.concerns("b") && !removals.concerns("a"))
        #expect(removals.end(first) == [])
        #expect(removals.end(second) == [requests[0], requests[2], requests[3]])
        #expect(removals.end(second) == [] && !removals.concerns("b"))
    }
}
