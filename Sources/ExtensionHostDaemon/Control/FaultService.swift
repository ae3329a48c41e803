// FaultService: orders of faults, which an ephemeral daemon takes from whoever uses it.

import EventLoop
import ExtensionConnection
import ExtensionProtocol

extension ControlService {
    func addFault(_ packet: Packet, _ order: FaultOrder) {
        do throws(ExtensionHostError) {
            try checkFaults()
            try engine.faultInjector.add(order)
            peer.reply(packet, Success())
        } catch {
            peer.reply(packet, error)
        }
    }

    func clearFaults(_ packet: Packet) {
        do throws(ExtensionHostError) {
            try checkFaults()
            engine.faults?.clear()
            peer.reply(packet, Success())
        } catch {
            peer.reply(packet, error)
        }
    }

    private func checkFaults() throws(ExtensionHostError) {
        guard engine.options.isEphemeral else {
            throw ExtensionHostError(
                .notPermitted, "this daemon is not ephemeral, and others may use it",
                remedy: "Use exthostd --ephemeral for faults")
        }
    }
}
