// HistogramTests: which bucket a duration falls into.

import Testing

@testable import ExtensionHostDaemon

@Suite struct HistogramTests {
    @Test func aBoundIsWithinItsBucketAndWhatIsMoreIsInTheNext() {
        for (index, bound) in Histogram.bounds.enumerated() {
            var histogram = Histogram()
            histogram.add(bound)
            histogram.add(bound + 1)
            #expect(histogram.buckets[index] == 1 && histogram.buckets[index + 1] == 1, "\(bound)")
        }
    }

    @Test func everythingIsCountedOnceAndAddedUp() {
        var histogram = Histogram()
        for duration in [0, 1, 1_000_000, 250_000_000, .max] as [UInt64] { histogram.add(duration) }
        #expect(histogram.count == 5 && histogram.buckets.reduce(0, +) == 5)
        #expect(histogram.buckets.first == 2 && histogram.buckets.last == 1)
        #expect(histogram.sum > 1.8e10)
    }

    @Test func boundsAscend() {
        #expect(Histogram.bounds == Histogram.bounds.sorted() && Set(Histogram.bounds).count == Histogram.bounds.count)
    }
}
