// PhotoEnding: the end of an edit by a photo editing extension, for `run` and for scenarios.

import ExtensionHost
import ExtensionHostTesting
import ImageCodecs
import PointHosts
import PointMessages
import Scenarios

/// The end of an edit.
enum PhotoEnding: Sendable {
    case saved(PhotoEditingSession.Edit)
    case nothing
    case refused(PhotoEditFault)
    case failed(ExtensionHostError)
    case cancelled
    /// The person does not confirm a cancel, and the edit goes on.
    case goesOn

    /// Asks for the result of an edit.
    ///
    /// - Throws: errors other than those of the host and the extension, such as a cancellation.
    init(of session: PhotoEditingSession) async throws {
        do {
            self = try await session.finish().map(Self.saved) ?? .nothing
        } catch let fault as PhotoEditFault {
            self = .refused(fault)
        } catch let error as ExtensionHostError {
            self = .failed(error)
        }
    }

    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        switch self {
        case .saved: return (.saved, nil)
        case .nothing: return (.nothing, nil)
        case .refused(let fault): return (.refused, "\(fault)")
        case .failed(let error):
            switch error.code {
            case .timedOut: return (.timedOut, nil)
            case .handlerDropped: return (.handlerDropped, nil)
            case .interrupted: return (.ended, error.message)
            default: return (.failed, "\(error)")
            }
        case .cancelled: return (.cancelled, nil)
        case .goesOn: return (.goesOn, nil)
        }
    }

    /// The members of the JSON document.
    var members: [(name: String, value: JSON)] {
        switch self {
        case .saved(let edit):
            let adjustment = edit.adjustment
            return [
                (
                    "adjustment",
                    [
                        "formatIdentifier": .string(adjustment.formatIdentifier),
                        "formatVersion": .string(adjustment.formatVersion), "bytes": .integer(adjustment.data.count),
                    ]
                ), ("before", edit.before?.json ?? .null), ("after", edit.after?.json ?? .null),
                ("remarks", .array(edit.remarks.map { .string($0) })),
            ]
        case .nothing, .cancelled, .goesOn: return []
        case .refused(let fault): return [("reason", .string(fault.name)), ("error", .string("\(fault)"))]
        case .failed(let error): return [("reason", .string("\(error.code)")), ("error", .string("\(error)"))]
        }
    }
}

extension ImageHeader {
    /// The header as JSON. Width and height are those of the upright image.
    fileprivate var json: JSON {
        [
            "format": .string(format.name), "width": .integer(uprightSize.width),
            "height": .integer(uprightSize.height), "orientation": .integer(Int(orientation)),
        ]
    }
}
