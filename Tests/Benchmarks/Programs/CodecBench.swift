// CodecBench: a property list decoded and encoded again: CodecBench FILE ROUNDS. Microseconds.

import Glibc
import PropertyListCoding

@main
struct CodecBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2, let rounds = Int(arguments[2]), let file = fopen(arguments[1], "r") else { exit(64) }
        var bytes = [UInt8](repeating: 0, count: 64 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        bytes.removeLast(bytes.count - count)
        var limits = PropertyListLimits.payload
        // The largest of the three is more than a payload may be: such data travels beside the list.
        limits.bytes = max(limits.bytes, 64 << 20)
        limits.expandedBytes = max(limits.expandedBytes, 64 << 20)
        var times: [Double] = []
        for round in -2..<rounds {
            let start = now()
            let list = try PropertyList(binary: bytes, limits: limits)
            guard try list.encodeBinary().count > count / 2 else { exit(1) }
            if round >= 0 { times.append(Double(now() - start) / 1e3) }
        }
        print((["both", "us"] + times.map { "\($0)" }).joined(separator: " "))
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
