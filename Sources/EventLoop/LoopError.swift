// LoopError: the errors of this module, each with its remedy.

public import LinuxSystem

/// The error of the event loop, its sources and its bus.
public enum LoopError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A call of the kernel or of libsystemd failed.
    case call(SystemError)
    /// `EventLoop.run` was called while another thread runs the loop.
    case alreadyRunning
    /// There is no message bus where one was asked for; everything else works without it.
    case busUnavailable(BusAddress, SystemError)
    /// Another process owns the well-known name and keeps it.
    case busNameTaken(String)
    /// The bus answered a call of this module with an error.
    case busRefused(call: String, BusError)

    public var description: String {
        switch self {
        case .call(let error):
            "\(error)"
        case .alreadyRunning:
            "the event loop already runs on another thread"
        case .busUnavailable(let address, let error):
            "no \(address) to connect to (\(error)); start one, name one with --bus ADDRESS, or use --bus none"
        case .busNameTaken(let name):
            "the bus name \(name) is taken; stop the other daemon, or use another bus"
        case .busRefused(let call, let error):
            "the bus refused \(call): \(error.message) (\(error.name)); see the bus's policy files"
        }
    }

    /// Returns the result of a libsystemd function, or throws if it is a negative errno, which all of them return on
    /// failure.
    @discardableResult
    static func check(_ call: String, _ result: Int32) throws(LoopError) -> Int32 {
        guard result < 0 else { return result }
        throw .call(SystemError(call, code: -result))
    }
}
