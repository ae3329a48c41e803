// CommandError: every way in which a verb fails, with its line for people and its exit status (interface,
// "exthostctl").

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

/// The exit statuses other than an outcome's, with the numbers of sysexits.h.
enum ExitStatus {
    static let notExpected: Int32 = 1
    static let usage: Int32 = 64
    static let missing: Int32 = 66
    static let internalError: Int32 = 70
    /// The status 128 plus the number of SIGINT, as shells count.
    static let interrupted: Int32 = 130
}

enum CommandError: Error, CustomStringConvertible {
    /// The arguments make no sense.
    case usage(String, remedy: String)
    /// A file makes no sense. Each of its faults has a line with place and remedy.
    case faults([String])
    /// A file, extension, host or request does not exist.
    case missing(String, remedy: String)
    /// The daemon, or a kit, refused.
    case daemon(ExtensionHostError)
    /// The daemon refused a request of `run`, for which a refusal is an outcome.
    case refused(ExtensionHostError)
    /// A failure that no user could have prevented.
    case unexpected(String)

    /// Makes an error of any other. Nil for errors that the argument parser handles.
    init?(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as ExtensionHostError: self = .daemon(error)
        default: return nil
        }
    }

    var description: String {
        switch self {
        case .usage(let what, let remedy), .missing(let what, let remedy): printable("\(what). \(remedy)")
        case .faults(let lines): lines.map(printable).joined(separator: "\n")
        case .daemon(let error), .refused(let error): printable("\(error)")
        case .unexpected(let what): printable("\(what). This should not happen: please report it")
        }
    }

    /// The description of the error, without the remedy.
    var message: String {
        switch self {
        case .usage(let what, _), .missing(let what, _), .unexpected(let what): what
        case .faults(let lines): lines.joined(separator: "\n")
        case .daemon(let error), .refused(let error): error.message
        }
    }

    /// The remedy; empty if none is known.
    var remedy: String {
        switch self {
        case .usage(_, let remedy), .missing(_, let remedy): remedy
        case .daemon(let error), .refused(let error): error.remedy ?? ""
        case .faults, .unexpected: ""
        }
    }

    /// The name of the error for programs: that of docs/errors.md, else that of its exit status.
    var name: String {
        switch self {
        case .usage, .faults: "usage"
        case .missing: "missing"
        case .daemon(let error), .refused(let error): "\(error.code)"
        case .unexpected: "unexpected"
        }
    }

    /// The underlying error.
    var cause: String? {
        switch self {
        case .daemon(let error), .refused(let error): error.cause
        case .usage, .faults, .missing, .unexpected: nil
        }
    }

    var exitStatus: Int32 {
        switch self {
        case .usage, .faults: ExitStatus.usage
        case .missing: ExitStatus.missing
        case .daemon(let error): error.code.exitStatus
        case .refused(let error): error.code.isRefusal ? OutcomeKind.refused.exitStatus : error.code.exitStatus
        case .unexpected: ExitStatus.internalError
        }
    }
}
