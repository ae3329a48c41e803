// TurnTests: who is served next, however many descriptors one of them has ready.

import Glibc
import LinuxSystem
import Testing

@testable import EventLoop

@Suite struct TurnTests {
    init() { LoopThread.start() }

    /// Turns of a round, as `DescriptorSet` has them: what becomes ready meanwhile waits for no more.
    private static let round = 16

    /// The names of those that are taken, in order, from descriptors' shares that all wait.
    @HostActor private func order(of leaves: [(name: String, share: TurnShare)], in root: TurnShare) -> [String] {
        for leaf in leaves { leaf.share.wait(in: root) }
        var names: [String] = []
        while let next = root.takeNext() { names.append(leaves.first { $0.share === next }?.name ?? "?") }
        return names
    }

    @Test @HostActor func descriptorsOfOneShareHaveOneTurnARotation() {
        let root = TurnShare()
        let process = TurnShare()
        let crowd = (1...3).map { ("crowd-\($0)", TurnShare(within: process)) }
        #expect(
            order(of: crowd + [("one", TurnShare()), ("other", TurnShare())], in: root)
                == ["crowd-1", "one", "other", "crowd-2", "crowd-3"])
    }

    @Test @HostActor func processesOfOneUserHaveOneTurnTogether() {
        let root = TurnShare()
        let (many, few) = (TurnShare(), TurnShare())
        let processes = (1...3).map { _ in TurnShare(within: many) }
        let crowd = processes.enumerated().flatMap { number, process in
            ["a", "b"].map { ("\(number + 1)\($0)", TurnShare(within: process)) }
        }
        let modest = ["x", "y"].map { ($0, TurnShare(within: few)) }
        #expect(order(of: crowd + modest, in: root) == ["1a", "x", "2a", "y", "3a", "1b", "2b", "3b"])
    }

    @Test @HostActor func whoWaitsAlreadyKeepsItsPlace() {
        let root = TurnShare()
        let process = TurnShare()
        let (first, second) = (TurnShare(within: process), TurnShare(within: process))
        first.wait(in: root)
        second.wait(in: root)
        first.wait(in: root)
        #expect(root.takeNext() === first && root.takeNext() === second && root.takeNext() == nil)
    }

    /// A virtual clock that is moved after a request was begun must not move first, on whatever connections the two
    /// orders come.
    @Test @HostActor func whatBecameReadyFirstIsServedFirstWhoeverWasServedBefore() async throws {
        let (first, second) = (try Pipe(), try Pipe())
        let served = Box<[String]>([])
        func watch(_ pipe: borrowing Pipe, _ name: String) throws -> IOSource {
            let raw = pipe.reader.raw
            return try EventLoop.shared.watch(descriptor: raw, for: .readable, share: TurnShare()) { _ in
                var byte: UInt8 = 0
                if read(raw, &byte, 1) == 1 { served.value.append(name) }
            }
        }
        let sources = [try watch(first, "first"), try watch(second, "second")]
        defer { for source in sources { source.cancel() } }
        first.write("x")
        await Iterations.until { served.value == ["first"] }
        // Both are ready before the loop looks again, in this order.
        first.write("x")
        second.write("x")
        await Iterations.until { served.value.count == 3 }
        #expect(served.value == ["first", "first", "second"])
    }

    /// Three hundred descriptors that are always ready, and one of another share: how many of their turns lie between
    /// two of its turns.
    @Test @HostActor func aCrowdOfReadyDescriptorsLeavesOthersTheirTurns() async throws {
        let process = TurnShare()
        let (turns, longest, served) = (Box(0), Box(0), Box(0))
        var sources: [IOSource] = []
        defer { for source in sources { source.cancel() } }
        var crowd: [Pipe] = []
        for _ in 0..<300 {
            let pipe = try Pipe()
            pipe.write("x")
            crowd.append(pipe)
            sources.append(
                try EventLoop.shared.watch(descriptor: pipe.reader.raw, for: .readable, share: process) { _ in
                    turns.value += 1
                })
        }
        let modest = try Pipe()
        modest.write("x")
        sources.append(
            try EventLoop.shared.watch(descriptor: modest.reader.raw, for: .readable, share: TurnShare()) { _ in
                longest.value = max(longest.value, turns.value)
                turns.value = 0
                served.value += 1
            })
        await Iterations.until { served.value >= 50 }
        #expect(longest.value <= Self.round)
    }
}
