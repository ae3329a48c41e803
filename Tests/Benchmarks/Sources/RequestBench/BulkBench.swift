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

    let program: String
    let way: Way
    let rounds: Int
    private let count: Int

    init(program: String, way: Way, count: Int, rounds: Int) {
        self.program = program
        self.way = way
        self.count = count
        self.rounds = rounds
    }

    /// The file of a value, and the sum of its words.
    private struct Value {
        let file: URL
        let sum: UInt64

        init(count: Int, folder: String) throws {
            file = URL(fileURLWithPath: folder + "/payload.bin")
            var block = (0..<(1 << 17)).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
            var sum: UInt64 = 0
            FileManager.default.createFile(atPath: file.path, contents: nil)
            let handle = try FileHandle(forWritingTo: file)
            for begin in stride(from: 0, to: count, by: block.count * 8) {
                block[0] = UInt64(begin)
                let words = block.prefix((count - begin) / 8)
                sum = words.reduce(sum, &+)
                try words.withUnsafeBytes { try handle.write(contentsOf: Data($0)) }
            }
            try handle.close()
            self.sum = sum
        }
    }

    private func provider(_ file: URL) -> NSItemProvider? {
        switch way {
        case .presentData:
            (try? Data(contentsOf: file, options: .alwaysMapped)).map {
                NSItemProvider(item: NSData(data: $0), typeIdentifier: "public.data")
            }
        case .handlersData: handled(file)
        case .fileAsData, .fileAsFile: NSItemProvider(contentsOf: file, contentType: .data)
        case .fileInPlace: NSItemProvider(contentsOf: file, contentType: .data, openInPlace: true)
        }
    }

    /// Bytes in ordinary memory, read before anybody asks.
    private func handled(_ file: URL) -> NSItemProvider? {
        guard let data = try? Data(contentsOf: file) else { return nil }
        let provider = NSItemProvider()
        provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { answer in
            answer(data, nil)
            return nil
        }
        return provider
    }

    /// Times as the extension sees them; the memory that daemon and host came to have.
    func run() async throws {
        let applications = try BenchApplications(program: program, kind: .cold)
        defer { applications.remove() }
        let value = try Value(count: count, folder: applications.path)
        try await withTestDaemon(applications: [applications.path], arguments: ["--timer", "load=120s"]) { daemon in
            let host = try await daemon.host("bench")
            var (loads, totals): ([Double], [Double]) = ([], [])
            let before = try await daemon.control.status().peakMemory ?? 0
            for _ in 0..<rounds {
                let item = NSExtensionItem.order(["load": way.form])
                item.attachments = provider(value.file).map { [$0] }
                let request = try await host.begin(applications.identifiers[0], items: [item])
                guard let answer = try await request.answer().first?.userInfo, let load = answer["load"] as? Double,
                    let adding = answer["sum"] as? Double, answer["total"] as? Int64 == Int64(bitPattern: value.sum)
                else { throw BenchFailure(outcome: "another sum") }
                loads.append(load * 1e6)
                totals.append((load + adding) * 1e6)
                _ = await request.exit
            }
            printSamples("load", "us", loads)
            printSamples("total", "us", totals)
            printSamples(
                "daemonGrowth", "KB", [Double((try await daemon.control.status().peakMemory ?? 0) - before) / 1024])
            printSamples("hostPeak", "KB", [Double(figure("VmHWM", "/proc/self/status"))])
        }
    }
}
