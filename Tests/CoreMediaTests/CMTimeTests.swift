// CMTimeTests: the arithmetic of times, and the pixels of buffers.

import CoreMedia
import Testing

@Suite struct CMTimeTests {
    private func time(_ value: Int64, _ timescale: Int32) -> CMTime { CMTime(value: value, timescale: timescale) }

    @Test func sumsHaveTheLeastCommonTimescale() {
        let sum = CMTimeAdd(time(1, 30), time(1, 24))
        #expect(sum.value == 9 && sum.timescale == 120 && !sum.hasBeenRounded)
        #expect(CMTimeSubtract(time(3, 2), time(1, 2)) == time(1, 1))
        #expect(CMTimeGetSeconds(time(3, 2)) == 1.5)
        // There is no common timescale of 32 bits: the sum is rounded.
        let far = time(1, 2_147_483_647) + time(1, 2_147_483_629)
        #expect(far.isNumeric && far.hasBeenRounded)
        #expect(time(.max, 1) + time(1, 1) == .positiveInfinity)
        #expect(-time(.min, 1) == .positiveInfinity)
    }

    @Test func timesThatAreNoneFollowTheRules() {
        #expect(CMTime.invalid + time(1, 1) == .invalid && !CMTime(value: 1, timescale: 0).isValid)
        #expect(CMTime.indefinite + .positiveInfinity == .indefinite)
        #expect(CMTime.positiveInfinity + time(1, 1) == .positiveInfinity)
        #expect(CMTime.positiveInfinity - .positiveInfinity == .indefinite)
        #expect(CMTime.positiveInfinity + .positiveInfinity == .positiveInfinity)
        #expect(
            [CMTime.invalid, .indefinite, .positiveInfinity, .zero, .negativeInfinity].sorted() == [
                .negativeInfinity, .zero, .positiveInfinity, .indefinite, .invalid,
            ])
        #expect(CMTime.invalid.seconds.isNaN && CMTime.negativeInfinity.seconds == -.infinity)
        #expect(CMTime(seconds: .nan, preferredTimescale: 600) == .invalid)
        #expect(CMTime(seconds: .infinity, preferredTimescale: 600) == .positiveInfinity)
        #expect(CMTime(seconds: 1e30, preferredTimescale: 600) == .positiveInfinity)
        // A smaller timescale has room for more.
        #expect(CMTime(seconds: 1e17, preferredTimescale: 600).seconds == 1e17)
    }

    @Test func comparisonsAreExact() {
        #expect(time(1, 3) == time(2, 6) && time(1, 3).hashValue == time(2, 6).hashValue)
        #expect(time(.max, 1) > time(.max, 2) && time(.min, 1) < time(.min, 2))
        #expect(CMTimeCompare(time(-1, 2), time(1, 2)) == -1 && CMTimeCompare(time(2, 2), time(1, 1)) == 0)
        #expect(CMTimeMaximum(time(1, 2), time(1, 3)) == time(1, 2) && CMTimeAbsoluteValue(time(-1, 2)) == time(1, 2))
    }

    @Test(
        arguments: [
            (CMTimeRoundingMethod.roundHalfAwayFromZero, 2, -2), (.roundTowardZero, 1, -1), (.roundAwayFromZero, 2, -2),
            (.roundTowardPositiveInfinity, 2, -1), (.roundTowardNegativeInfinity, 1, -2), (.quickTime, 1, -1),
        ] as [(CMTimeRoundingMethod, Int64, Int64)])
    func conversionsAreRounded(method: CMTimeRoundingMethod, up: Int64, down: Int64) {
        let (positive, negative) = (
            CMTimeConvertScale(time(3, 2), timescale: 1, method: method),
            CMTimeConvertScale(time(-3, 2), timescale: 1, method: method)
        )
        #expect(positive.value == up && positive.hasBeenRounded && negative.value == down)
        #expect(CMTimeConvertScale(time(1, 2), timescale: 600, method: method) == time(300, 600))
        #expect(CMTimeConvertScale(time(.max, 1), timescale: 600, method: method) == .positiveInfinity)
        #expect(CMTimeConvertScale(time(.min, 1), timescale: 600, method: method) == .negativeInfinity)
        #expect(CMTimeConvertScale(time(1, 1), timescale: 0, method: method) == .invalid)
    }

    @Test func wholeSecondsAreConverted() {
        let sum = CMTime.zero + time(1, 600)
        #expect(sum.value == 1 && sum.timescale == 600 && !sum.hasBeenRounded)
        for (value, converted) in [(5, 3000), (-5, -3000), (0, 0)] as [(Int64, Int64)] {
            let result = CMTimeConvertScale(time(value, 1), timescale: 600, method: .roundTowardZero)
            #expect(result.value == converted && result.timescale == 600 && !result.hasBeenRounded)
        }
        // The product has room in 64 bits, the quotient has none in 63.
        let large = time(6_148_914_691_236_517_205, 2)
        #expect(CMTimeConvertScale(large, timescale: 3, method: .roundTowardZero).value == .max)
        #expect(CMTimeConvertScale(large, timescale: 3, method: .roundHalfAwayFromZero) == .positiveInfinity)
        #expect(CMTimeConvertScale(-large, timescale: 3, method: .roundAwayFromZero) == .negativeInfinity)
    }

    @Test func quickTimeRoundsByTheScales() {
        #expect(CMTimeConvertScale(time(-1, 4), timescale: 1, method: .quickTime).value == -1)
        #expect(CMTimeConvertScale(time(1, 4), timescale: 1, method: .quickTime).value == 0)
        #expect(CMTimeConvertScale(time(1, 2), timescale: 3, method: .quickTime).value == 2)
        #expect(CMTimeConvertScale(time(-1, 2), timescale: 3, method: .quickTime).value == -2)
    }

    @Test func equalTimesHaveTheSameHash() {
        // The quotients of these as numbers of 64 bits are the same or differ in the last bit.
        let (whole, thirds) = (time(9_007_199_254_740_993, 1), time(27_021_597_764_222_979, 3))
        #expect(whole == thirds && whole.hashValue == thirds.hashValue)
        #expect(time(0, 1) == time(0, 600) && time(0, 1).hashValue == time(0, 600).hashValue)
        #expect(time(.min, 2).hashValue == time(.min / 2, 1).hashValue)
        // A valid time without a timescale equals no number.
        let none = CMTime(value: 1, timescale: 0, flags: .valid, epoch: 0)
        #expect(none != time(1, 1) && none != .invalid && none < .invalid && none == none)
    }

    @Test func productsHaveTheirBounds() {
        #expect(CMTimeMultiply(time(3, 2), multiplier: -2) == time(-3, 1))
        #expect(CMTimeMultiply(time(.max, 2), multiplier: 2) == .positiveInfinity)
        #expect(CMTimeMultiply(time(.max, 2), multiplier: -2) == .negativeInfinity)
        #expect(CMTimeMultiplyByFloat64(time(3, 2), multiplier: 0.5) == time(3, 4))
    }

    @Test func aBufferHasItsPixelsWhileItIsLocked() throws {
        var made: CVPixelBuffer?
        #expect(CVPixelBufferCreate(kCFAllocatorDefault, 5, 3, kCVPixelFormatType_32BGRA, nil, &made) == 0)
        let image = try #require(made)
        #expect(CVPixelBufferGetBaseAddress(image) == nil && CVPixelBufferUnlockBaseAddress(image, []) != 0)
        CVPixelBufferLockBaseAddress(image, [])
        #expect(CVPixelBufferGetBaseAddress(image) != nil && CVPixelBufferGetPlaneCount(image) == 0)
        #expect(CVPixelBufferGetBaseAddressOfPlane(image, 0) == nil && CVPixelBufferGetBytesPerRow(image) == 64)
        #expect(CVPixelBufferUnlockBaseAddress(image, []) == 0 && CVPixelBufferGetBaseAddress(image) == nil)
        #expect(CVPixelBufferCreate(nil, 0, 3, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnInvalidSize)
        #expect(CVPixelBufferCreate(nil, 2, 3, 7, nil, &made) == kCVReturnInvalidPixelFormat && made == nil)
        let format = kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
        #expect(CVPixelBufferCreate(nil, 5, 3, format, nil, &made) == 0)
        let planar = try #require(made)
        #expect(CVPixelBufferGetPlaneCount(planar) == 2 && CVPixelBufferGetHeightOfPlane(planar, 1) == 2)
        #expect(CVPixelBufferGetWidthOfPlane(planar, 1) == 3 && CVPixelBufferGetWidthOfPlane(planar, 2) == 0)
        #expect(CVPixelBufferGetDataSize(planar) == 64 * 5)
    }
}
