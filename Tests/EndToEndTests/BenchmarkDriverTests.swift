// BenchmarkDriverTests: what Scripts/bench makes of samples: statistics, targets, the table, comparison with an earlier
// result. No clock.

import TestPrograms
import Testing

@Suite struct BenchmarkDriverTests {
    @Test func theDriverReadsJudgesAndComparesCannedResults() async throws {
        let tests = SampleApplications.root + "/Tests/Benchmarks/bench/selftest.py"
        let ending = try await Program.run("/usr/bin/env", ["python3", "-B", tests], socket: "").ending()
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(ending.errors.hasSuffix("OK\n"))
    }
}
