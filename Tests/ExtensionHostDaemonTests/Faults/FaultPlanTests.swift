// FaultPlanTests: which ordered faults happen at a moment, and that the same seed decides the same.

import ExtensionConnection
import ExtensionProtocol
import Testing

@testable import ExtensionHostDaemon

@Suite struct FaultPlanTests {
    private func kinds(_ plan: inout FaultPlan, _ point: FaultPoint, _ identifier: String? = "a") -> [FaultKind] {
        plan.strikes(at: point, of: identifier).map(\.kind)
    }

    @Test func aFaultHappensAtItsPointAndNowhereElse() throws {
        var plan = FaultPlan()
        try plan.add(FaultOrder(.kill, at: .loadOpen))
        for point in FaultPoint.allCases where point != .loadOpen { #expect(kinds(&plan, point).isEmpty) }
        #expect(kinds(&plan, .loadOpen) == [.kill])
    }

    @Test func aFaultHappensAfterSoManyPassesSoManyTimes() throws {
        var plan = FaultPlan()
        try plan.add(FaultOrder(.stop, at: .idle, after: 2, times: 3))
        let struck = (0..<8).map { _ in kinds(&plan, .idle).count }
        #expect(struck == [0, 0, 1, 1, 1, 0, 0, 0])
        #expect(plan.records.map(\.struck) == [3])
    }

    @Test func aFaultOfOneExtensionPassesTheOthersBy() throws {
        var plan = FaultPlan()
        try plan.add(FaultOrder(.kill, at: .ready, extensionIdentifier: "b", after: 1))
        #expect(kinds(&plan, .ready, "a").isEmpty)
        #expect(kinds(&plan, .ready, "b").isEmpty)
        #expect(kinds(&plan, .ready, nil).isEmpty)
        #expect(kinds(&plan, .ready, "b") == [.kill])
    }

    @Test func faultsAtOnePointHappenInTheirOrder() throws {
        var plan = FaultPlan()
        try plan.add(FaultOrder(.slow, at: .delivered))
        try plan.add(FaultOrder(.garbage, at: .delivered))
        #expect(kinds(&plan, .delivered) == [.slow, .garbage])
        plan.clear()
        #expect(plan.records.isEmpty)
    }

    @Test(arguments: [
        FaultOrder(.kill, at: .spawning), FaultOrder(.cut, at: .starting), FaultOrder(.busGone, at: .starting),
        FaultOrder(.kill, at: .idle, sent: true), FaultOrder(.kill, at: .idle, times: 0),
        FaultOrder(.kill, at: .idle, after: -1),
        FaultOrder(.slow, at: .idle, delay: 0), FaultOrder(.slow, at: .idle, delay: .nan),
        FaultOrder(.slow, at: .idle, delay: 1e9),
    ])
    func whatCannotBeIsRefusedWithARemedy(order: FaultOrder) throws {
        var plan = FaultPlan()
        let error = #expect(throws: ExtensionHostError.self) { try plan.add(order) }
        #expect(error?.code == .invalidArgument && error?.remedy?.isEmpty == false)
    }

    @Test func ordersHaveABound() throws {
        var plan = FaultPlan()
        for _ in 0..<FaultPlan.most { try plan.add(FaultOrder(.kill, at: .idle)) }
        let error = #expect(throws: ExtensionHostError.self) { try plan.add(FaultOrder(.kill, at: .idle)) }
        #expect(error?.code == .quotaExceeded)
    }

    @Test func theSameSeedPicksCutsAndGarblesTheSame() throws {
        #expect(FaultOrder.random(seed: 7, count: 50) == FaultOrder.random(seed: 7, count: 50))
        #expect(FaultOrder.random(seed: 7, count: 50) != FaultOrder.random(seed: 8, count: 50))
        func disturbances(_ seed: Int) throws -> [PacketDisturbance] {
            var plan = FaultPlan()
            try plan.add(FaultOrder(.garbage, at: .idle, times: 10, seed: seed))
            try plan.add(FaultOrder(.truncate, at: .idle, times: 10, seed: seed))
            return (0..<10).flatMap { _ in plan.strikes(at: .idle, of: "a").compactMap(\.disturbance) }
        }
        #expect(try disturbances(3) == disturbances(3))
        #expect(try disturbances(3) != disturbances(4))
        // Each strike of one order is another.
        #expect(Set(try disturbances(3)).count > 10)
    }

    @Test func whatASeedPicksCanBe() {
        let orders = (0..<500).flatMap { FaultOrder.random(seed: $0, count: 3) }
        #expect(orders.allSatisfy { $0.problem == nil && $0.point != .starting })
        // A bus need not be there, and without host and bundle nothing would follow.
        #expect(Set(orders.map(\.kind)) == Set(FaultKind.allCases).subtracting([.busGone, .hostGone, .removeBundle]))
        // Most extension points have no calls.
        #expect(Set(orders.map(\.point)) == Set(FaultPoint.allCases).subtracting([.starting, .call, .called]))
    }
}
