// ReceiveBuffer: room for one packet, shared by all connections that one thread reads.

import ExtensionWire

/// Memory for the largest packet. Used by one thread at a time: its owner's.
public final class ReceiveBuffer {
    let bytes: UnsafeMutableRawBufferPointer

    public init() {
        bytes = .allocate(byteCount: PacketHeader.size + PacketLimits.body, alignment: 16)
    }

    deinit { bytes.deallocate() }
}
