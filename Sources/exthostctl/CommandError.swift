// CommandError: every way in which a verb fails, with its line for people and its exit status (interface, "exthostctl").

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

/// Exit statuses other than an outcome's; the numbers are those of sysexits.h.
enum ExitStatus {
    static let notExpected: Int32 = 1
    static let usage: Int32 = 64
    static let missing: Int32 = 66
    static let internalError: Int32 = 70
    /// 128 and the number of SIGINT, as shells count.
    static let interrupted: Int32 = 130
}

enum CommandError: Error, CustomStringConvertible {
    /// What was asked for makes no sense.
    case usage(String, remedy: String)
    /// A file, extension, host or request is not there.
    case missing(String, remedy: String)
    /// The daemon, or a kit, said no.
    case daemon(ExtensionHostError)
    /// The same to `run`, where a refusal is an outcome.
    case refused(ExtensionHostError)
    /// Nothing that a user could have done.
    case unexpected(String)

    /// Nil for errors that the argument parser knows better.
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
        case .daemon(let error), .refused(let error): printable("\(error)")
        case .unexpected(let what): printable("\(what). This should not happen: please report it")
        }
    }

    var exitStatus: Int32 {
        switch self {
        case .usage: ExitStatus.usage
        case .missing: ExitStatus.missing
        case .daemon(let error): error.code.exitStatus
        case .refused(let error): error.code.isRefusal ? OutcomeKind.refused.exitStatus : error.code.exitStatus
        case .unexpected: ExitStatus.internalError
        }
    }
}
