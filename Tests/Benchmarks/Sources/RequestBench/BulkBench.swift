// BulkBench: one large value from host to extension, which adds up every byte; time, and memory of all three processes.

import ExtensionHostTesting
import Foundation

struct BulkBench {
    /// Where the bytes are before they travel, and how they are asked for.
    enum Way: String, CaseIterable {
        case presentData, handlersData, fileAsData, fileAsFile, fileInPlace

        /// As the extension calls it.
        var form: String {
            switch self {
            case .presentData, .handlersData, .fileAsData: "data"
            case .fileAsFile: "file"
            case .fileInPlace: "place"
            }
        }
    }

    let way: Way
    let count: Int
    let file: URL
    private let sum: UInt64

    init(way: Way, mebibytes: Int, folder: String) throws {
        self.way = way
        count = mebibytes << 20
        file = URL(fileURLWithPath: folder + "/payload.bin")
        var block = (0..<(1 << 17)).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
        var sum: UInt64 = 0
        FileManager.default.createFile(atPath: file.path, contents: nil)
        let handle = try FileHandle(forWritingTo: file)
        for number in 0..<mebibytes {
            block[0] = UInt64(number)
            sum = block.reduce(sum, &+)
            try block.withUnsafeBytes { try handle.write(contentsOf: Data($0)) }
        }
        try handle.close()
        self.sum = sum
    }

    private var provider: NSItemProvider? {
        switch way {
        case .presentData:
            (try? Data(contentsOf: file, options: .alwaysMapped)).map {
                NSItemProvider(item: NSData(data: $0), typeIdentifier: "public.data")
            }
        case .handlersData: handled
        case .fileAsData, .fileAsFile: NSItemProvider(contentsOf: file, contentType: .data)
        case .fileInPlace: NSItemProvider(contentsOf: file, contentType: .data, openInPlace: true)
        }
    }

    /// Bytes in ordinary memory, read before anybody asks.
    private var handled: NSItemProvider? {
        guard let data = try? Data(contentsOf: file) else { return nil }
        let provider = NSItemProvider()
        provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { answer in
            answer(data, nil)
            return nil
        }
        return provider
    }

    /// Prints `NAME.WAY.SIZEMB.what value unit` lines. The host's memory is this process's, so each way wants one of its own.
    func run(_ daemon: TestDaemon, _ host: FakeHost, name: String, rounds: Int) async throws {
        var (loads, totals): ([Double], [Double]) = ([], [])
        var peak = 0
        let before = try await daemon.control.status().peakMemory ?? 0
        for _ in 0..<rounds {
            let item = NSExtensionItem()
            item.userInfo = ["load": way.form]
            item.attachments = provider.map { [$0] }
            let request = try await host.begin("org.exthost.bench.cold", items: [item])
            let outcome = await request.outcome
            guard case .completed(let items) = outcome, let answer = items.first?.userInfo, let load = answer["load"] as? Double,
                let adding = answer["sum"] as? Double, answer["total"] as? Int64 == Int64(bitPattern: sum)
            else { throw BenchFailure(outcome: "\(outcome)") }
            loads.append(load * 1000)
            totals.append((load + adding) * 1000)
            peak = max(peak, answer["peak"] as? Int ?? 0)
            _ = await request.exit
        }
        let grown = (try await daemon.control.status().peakMemory ?? 0) - before
        let row = "\(name).\(way).\(count >> 20)MB"
        for (what, values) in [("load", loads.sorted()), ("loadAndSum", totals.sorted())] {
            print(String(format: "\(row).\(what).min %.3f ms\n\(row).\(what).p50 %.3f ms", values[0], values[values.count / 2]))
        }
        print("\(row).extensionPeak \(peak >> 10) MiB\n\(row).hostPeak \(Self.peakMemory >> 10) MiB")
        print("\(row).daemonGrowth \(grown >> 10) KiB")
    }

    private static var peakMemory: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        return status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
