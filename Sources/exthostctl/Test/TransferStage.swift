// TransferStage: the pretended servers of one test, and what its background transfers have left.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import Foundation
import Glibc
import LinuxSystem
import Scenarios
import TransferMessages

/// The background transfers of one test.
///
/// It keeps its connection with the service. So the service does not end while the clock advances, and lose the answers.
actor TransferStage {
    private let daemon: TestDaemon
    private var opening: Task<TransferTool, any Error>?
    private var answers: [TransferAnswer] = []

    init(_ daemon: TestDaemon) { self.daemon = daemon }

    private func connection() async throws -> ServiceConnection {
        let opening = opening ?? Task { [daemon] in try await TransferTool(daemon.address) }
        self.opening = opening
        return try await opening.value.connection
    }

    /// Adds an answer of a server. None of the earlier ones has been used.
    func add(_ answer: ScenarioAnswer, in folder: String) async throws {
        answers.append(try answer.answer(in: folder))
        _ = try await connection().call(AnswerTransfers(answers))
    }

    func deliver(_ session: String, to side: TransferSide) async throws {
        let receiver: TransferReceiver =
            switch side {
            case .app: .app
            case .extension: .extension
            case .any: .any
            }
        _ = try await connection().call(DeliverTransferEvents(TransferSessionName(identifier: session), to: receiver))
    }

    /// Returns the sessions of the app of an extension.
    func sessions(of identifier: String) async throws -> [TransferSessionRecord] {
        try await connection().call(ListTransferSessions()).sessions.ofApp(of: identifier)
    }

    /// Returns the text of a file in the container of a group; nil if there is no file.
    nonisolated func text(ofGroup group: String, _ path: String) throws -> String? {
        guard let groups = daemon.groupContainers else { return nil }
        do throws(SystemError) {
            return try Self.text("\(group)/\(path)", in: groups)
        } catch {
            guard error.code == ENOENT || error.code == ENOTDIR else { throw error }
            return nil
        }
    }

    private static func text(_ path: String, in folder: String) throws(SystemError) -> String {
        let file = try ViewFile(folder).file(path).read()
        return String(decoding: try readFile(file, maximumSize: largestFile), as: UTF8.self)
    }

    private static let largestFile = 16 << 20

    func close() async {
        guard let tool = try? await opening?.value else { return }
        tool.host.disconnect()
    }
}

extension [TransferSessionRecord] {
    /// The number of tasks that have not ended, or whose end nobody has got.
    var left: Int { reduce(0) { $0 + $1.unfinished + $1.finished } }
}

extension ScenarioAnswer {
    /// The largest body, and the bytes of all bodies of a test: one packet has them.
    private static let largestBody = 16 << 20
    static let largestSum = 48 << 20

    /// Returns the bytes of the body. A path is relative to a folder.
    func content(in folder: String) throws(CommandError) -> [UInt8] {
        switch body {
        case nil: return []
        case .text(let text): return Array(text.utf8)
        case .file(let path, _):
            let place = path.hasPrefix("/") ? path : "\(folder)/\(path)"
            var status = stat()
            if stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
                guard status.st_size <= Self.largestBody else {
                    throw .usage("\(path) has more than 16 MiB", remedy: "Answer with a smaller file")
                }
            } else if status.st_mode != 0, status.st_mode & S_IFMT != S_IFDIR {
                throw .usage("\(path) is no regular file", remedy: "Answer with a file or a text")
            }
            return [UInt8](try InputFile(place).data())
        }
    }

    fileprivate func answer(in folder: String) throws(CommandError) -> TransferAnswer {
        TransferAnswer(
            url, status: status, headers: headers.map { TransferHeader($0.name, $0.value) },
            body: try content(in: folder), tag: tag.map { "\"\($0)\"" }, cut: cut, delay: delay / .seconds(1),
            duration: duration / .seconds(1), times: times)
    }
}
