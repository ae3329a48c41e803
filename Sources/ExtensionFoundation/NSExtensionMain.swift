// NSExtensionMain: the entry point of an extension's process.

import Dispatch
import ExtensionConnection
import ExtensionWire
import Foundation
import Glibc
import LinuxDescriptors

/// Runs the process as an extension, and never returns.
///
/// For each request it makes a new object of the principal class, which the daemon names. A view controller is made on
/// the main actor. It serves the main dispatch queue, and for view controllers the main run loop too. Ours: Apple's
/// systems make the program's `main` themselves.
///
/// Call it first, on the main thread: the daemon waits 5 s for it (`launchTimeout`). It takes over descriptors 3, the
/// daemon's socket, and 4, its reconnect socket, and removes `EXTHOST_EXTENSION_FD` and `EXTHOST_EXTENSION_DOOR`.
///
/// The process exits with 0 if the daemon says so or is gone. It exits with 1, after one line on standard error, if the
/// class is missing or the daemon cannot be understood. It exits with 64 if no daemon started it.
public func NSExtensionMain() -> Never {
    run { execution in
        guard let name = execution.principalClass else {
            if let storyboard = MainStoryboard.name { return try MainStoryboard.principal(storyboard) }
            throw ExtensionHostError(
                .noPrincipalClass, "the daemon named no principal class for \(execution.identifier)",
                remedy: "Set NSExtensionPrincipalClass in Info.plist, or call NSExtensionMain(principalClass:)")
        }
        guard let found = NSClassFromString(name) else {
            throw ExtensionHostError(
                .noPrincipalClass, "the class \(name) does not exist in this program",
                remedy: "Write NSExtensionPrincipalClass as Module.Class, with the module's name as it is built")
        }
        return found
    }
}

/// Runs the process as an extension whose program names its class itself: a bare executable without a bundle.
///
/// - Parameter principalClass: the class of which an object is made for each request; the class that the bundle names
///   is ignored.
public func NSExtensionMain(principalClass: any NSExtensionRequestHandling.Type) -> Never {
    run { _ in principalClass as AnyClass }
}

private func run(_ principalClass: (Execution) throws -> AnyClass) -> Never {
    // A pipe would delay lines until the buffer is full: the output of an extension is its live log.
    StandardStreams.lineBufferOutput()
    guard let text = getenv("EXTHOST_EXTENSION_FD").map({ String(cString: $0) }), let number = Int32(text) else {
        ExtensionSession.report(
            "this program is an extension and runs under exthostd: try exthostctl run \(CommandLine.arguments[0])")
        exit(64)  // EX_USAGE
    }
    unsetenv("EXTHOST_EXTENSION_FD")
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    let door = ReconnectSocket.take()
    let hasInterface: Bool
    do {
        let (channel, welcome) = try Channel.open(
            socket: Socket(OwnedDescriptor(owning: number)),
            hello: Hello(role: .extension, sdk: "swift/\(ProtocolVersion.current)"),
            // Without its daemon the process has nothing to resume.
            reconnection: Reconnection(patience: .zero) { welcome throws(ExtensionHostError) in
                if let door { return try door.connect() }
                guard let path = welcome.execution?.socket else {
                    throw ExtensionHostError(.noDaemon, "the daemon did not report the address of its socket")
                }
                do {
                    return try Socket.connect(to: path)
                } catch {
                    throw ExtensionHostError(.noDaemon, "no daemon answers at \(path)", cause: "\(error)")
                }
            })
        guard let execution = welcome.execution else {
            throw ExtensionHostError(
                .protocolViolation, "the daemon's welcome does not name the program", remedy: "Update the daemon")
        }
        ProcessRole.becomeExtension(execution)
        let principal = try PrincipalClass(try principalClass(execution), execution, channel)
        hasInterface = principal.type is any InterfacePrincipal.Type
        let session = ExtensionSession(channel: channel, welcome: welcome, principal: principal)
        if execution.prewarms { Warmup.make(for: session) }
        try session.start(time: execution.time)
        ProcessChannel.connect(channel)
    } catch {
        ExtensionSession.report("\(error)")
        exit(EXIT_FAILURE)
    }
    // Timers belong to an interface; a process without one saves the run loop.
    while hasInterface { RunLoop.main.run() }
    MainQueue.serve()
}
