// FaultService: orders of faults, which an ephemeral daemon takes from all its clients.

import EventLoop
import ExtensionConnection
import ExtensionProtocol

extension ControlService {
    func addFault(_ message: AddFault) throws(ExtensionHostError) -> Success {
        try checkFaults()
        try engine.faults.add(message.order)
        return Success()
    }

    func listFaults(_ message: ListFaults) -> Page<FaultRecord> {
        Self.page(engine.faults.records, from: message.offset)
    }

    func clearFaults(_: ClearFaults) throws(ExtensionHostError) -> Success {
        try checkFaults()
        engine.faults.clear()
        return Success()
    }

    private func checkFaults() throws(ExtensionHostError) {
        guard context.options.isEphemeral else {
            throw ExtensionHostError(
                .notPermitted, "this daemon is not ephemeral, and others may use it",
                remedy: "Use exthostd --ephemeral for faults")
        }
    }
}
