// ImageAnswer: the answer that exthost-images writes for its host, in the first page of a memfd before the pixels.

package import ImageCodecs

/// The answer of `exthost-images`. The host takes nothing in it for granted: an image may have taken the process over.
package struct ImageAnswer: Sendable, Hashable {
    private enum Outcome: UInt64 {
        case done = 1, libraryMissing, unknownFormat, damaged, tooLarge, noMemory, invalid
    }

    package enum Result: Sendable, Hashable {
        case done
        case failed(ImageCodecError)
    }

    package var result: Result
    package var header: ImageHeader?
    /// The size of the pixels that follow; nil without any.
    package var size: (width: Int, height: Int)?
    /// The pixels that differ, and all.
    package var changed = 0
    package var total = 0

    package init(_ result: Result) { self.result = result }

    package static func == (one: ImageAnswer, other: ImageAnswer) -> Bool { one.encoded() == other.encoded() }
    package func hash(into hasher: inout Hasher) { hasher.combine(encoded()) }

    /// The size of an encoded answer, and the place of the pixels.
    package static let length = 4096
    private static let mark: UInt64 = 0x3165_6761_6D69_7865
    private static let numberCount = 12
    private static let mostWords = 200

    /// Returns `length` bytes.
    package func encoded() -> [UInt8] {
        var numbers = [UInt64](repeating: 0, count: Self.numberCount)
        var words = ""
        func set(_ index: Int, _ value: Int) { numbers[index] = UInt64(max(0, value)) }
        numbers[0] = Self.mark
        switch result {
        case .done: numbers[1] = Outcome.done.rawValue
        case .failed(let error):
            switch error {
            case .libraryMissing(let library, let text):
                (numbers[1], words) = (Outcome.libraryMissing.rawValue, text)
                numbers[2] = library == .jpeg ? 0 : 1
            case .unknownFormat: numbers[1] = Outcome.unknownFormat.rawValue
            case .damaged(let format, let text):
                (numbers[1], words) = (Outcome.damaged.rawValue, text)
                numbers[2] = format == .jpeg ? 0 : 1
            case .tooLarge(let width, let height):
                numbers[1] = Outcome.tooLarge.rawValue
                set(7, width)
                set(8, height)
            case .noMemory: numbers[1] = Outcome.noMemory.rawValue
            case .invalid(let text): (numbers[1], words) = (Outcome.invalid.rawValue, text)
            }
        }
        if let header {
            numbers[2] = header.format == .jpeg ? 0 : 1
            set(3, header.width)
            set(4, header.height)
            set(5, Int(header.orientation))
        }
        if let size {
            set(7, size.width)
            set(8, size.height)
        }
        set(9, changed)
        set(10, total)
        let text = Array(words.utf8.prefix(Self.mostWords))
        set(11, text.count)
        let bytes = numbers.withUnsafeBytes(Array.init) + text
        return bytes + [UInt8](repeating: 0, count: Self.length - bytes.count)
    }

    /// Reads an answer. Nil for bytes that no honest process writes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        let numbers = bytes.withUnsafeBytes { raw in
            (0..<Self.numberCount).map { raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) }
        }
        guard numbers[0] == Self.mark, let outcome = Outcome(rawValue: numbers[1]), numbers[2] <= 1,
            numbers[3...10].allSatisfy({ $0 <= UInt64(Int32.max) }), numbers[11] <= Self.mostWords
        else { return nil }
        let format: ImageFormat = numbers[2] == 0 ? .jpeg : .png
        let text = bytes[Self.numberCount * 8..<Self.numberCount * 8 + Int(numbers[11])]
        // A control character could take a terminal over.
        let words = String(
            String(decoding: text, as: UTF8.self).unicodeScalars.filter { $0.value >= 0x20 && $0 != "\u{7F}" })
        let (width, height) = (Int(numbers[7]), Int(numbers[8]))
        switch outcome {
        case .done: result = .done
        case .libraryMissing: result = .failed(.libraryMissing(format.library, words))
        case .unknownFormat: result = .failed(.unknownFormat)
        case .damaged: result = .failed(.damaged(format, words))
        case .tooLarge: result = .failed(.tooLarge(width: width, height: height))
        case .noMemory: result = .failed(.noMemory)
        case .invalid: result = .failed(.invalid(words))
        }
        if case .done = result {
            if numbers[3] > 0 {
                guard numbers[4] > 0, (1...8).contains(numbers[5]) else { return nil }
                header = ImageHeader(
                    format: format, width: Int(numbers[3]), height: Int(numbers[4]), orientation: UInt8(numbers[5]))
            }
            if width > 0 { size = (width, height) }
            guard numbers[9] <= numbers[10] else { return nil }
            (changed, total) = (Int(numbers[9]), Int(numbers[10]))
        }
    }
}
