// exthost-transferd: the program of the service org.exthost.transfers.

import ExtensionWire
import Foundation
import Glibc
import LinuxDescriptors
import ServiceProgramKit

/// Serves background transfers until nothing is left to transfer. With `--scripted` it uses no network: tools set the
/// answers.
@main enum TransferProgram {
    static func main() {
        do {
            let server = try TransferServer(isScripted: CommandLine.arguments.dropFirst().contains("--scripted"))
            let program = try ServiceProgram.start(onRemoval: { server.appRemoved($0) }) { try server.accept($0) }
            try server.start(program)
            program.serve()
        } catch {
            StandardStreams.writeError("exthost-transferd: \(error)\n")
            let error = error as? ExtensionHostError
            exit(error?.code.exitStatus ?? EXIT_FAILURE)
        }
    }
}
