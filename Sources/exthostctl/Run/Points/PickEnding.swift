// PickEnding: the end of a document picker's session, for `run` and for scenarios.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import Foundation
import LinuxDescriptors
import PointHosts
import Scenarios

/// The end of a session.
enum PickEnding: Sendable {
    case picked(PickedDocument)
    case cancelled
    case refused(DocumentPickFault)
    case failed(ExtensionHostError)
    /// An error of the author's.
    case authorFailed(NSError)

    /// Waits for the end of a session.
    ///
    /// - Throws: a cancellation.
    init(of session: DocumentPickerSession) async throws {
        do {
            self = try await session.document().map(Self.picked) ?? .cancelled
        } catch let fault as DocumentPickFault {
            self = .refused(fault)
        } catch let error as ExtensionHostError {
            self = .failed(error)
        } catch let error as CancellationError {
            throw error
        } catch {
            self = .authorFailed(error as NSError)
        }
    }

    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        switch self {
        case .picked: (.picked, nil)
        case .cancelled: (.cancelled, nil)
        case .refused(let fault): (.refused, "\(fault)")
        case .failed(let error) where error.code == .interrupted: (.ended, error.message)
        case .failed(let error): (.failed, "\(error)")
        case .authorFailed(let error): (.failed, "\(error)")
        }
    }

    /// The exit status of `run`.
    var status: Int32 {
        switch self {
        case .picked: 0
        case .cancelled: OutcomeKind.cancelled.exitStatus
        case .failed(let error) where error.code == .interrupted: OutcomeKind.interrupted.exitStatus
        case .refused, .failed, .authorFailed: ExitStatus.notExpected
        }
    }

    /// The members of the JSON document.
    var members: [(name: String, value: JSON)] {
        switch self {
        case .picked(let document): document.members
        case .cancelled: []
        case .refused(let fault): [("reason", .string(fault.name)), ("error", .string("\(fault)"))]
        case .failed(let error): [("reason", .string("\(error.code)")), ("error", .string("\(error)"))]
        case .authorFailed(let error):
            [("reason", .string("\(error.domain) \(error.code)")), ("error", .string(error.localizedDescription))]
        }
    }

    /// The members in lines of text.
    var lines: [String] {
        members.compactMap { name, value in
            switch value {
            case .string(let text): "\(name)  \(text)"
            case .integer(let number): "\(name)  \(number)"
            default: nil
            }
        }
    }
}

extension PickedDocument {
    /// The bytes of the document; nil for an export, whose copy the host cannot open, and while there is no file.
    var file: SharedDescriptor? {
        switch self {
        case .imported(let document): try? PointFile(readingAt: document.url.path).descriptor
        case .opened(let lease), .moved(let lease): try? lease.open()
        case .exported: nil
        }
    }

    fileprivate var members: [(name: String, value: JSON)] {
        let size = file.flatMap { try? FileStatus(of: $0.raw).size }
        switch self {
        case .imported(let document):
            return [
                ("kind", "imported"), ("name", .string(document.url.lastPathComponent)), ("bytes", .optional(size)),
            ]
        case .opened(let lease), .moved(let lease):
            var kind = "opened"
            if case .moved = self { kind = "moved" }
            return [
                ("kind", .string(kind)), ("name", .string(lease.url.lastPathComponent)), ("path", .string(lease.path)),
                ("provider", .string(lease.provider)), ("bytes", .optional(size)),
            ]
        case .exported(let url):
            return [("kind", "exported"), ("name", .string(url.lastPathComponent))]
        }
    }
}
