// ReceiveBuffer: room for one packet, shared by all connections that one thread reads.

import ExtensionWire

/// Memory for the largest packet. Only the owner's thread uses it.
public final class ReceiveBuffer {
    let bytes: UnsafeMutableRawBufferPointer

    public init() {
        bytes = .allocate(byteCount: PacketHeader.size + PacketLimits.body, alignment: 16)
    }

    deinit { bytes.deallocate() }
}
