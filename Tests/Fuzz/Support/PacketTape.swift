// PacketTape: the fuzzer's bytes as packets that a peer without rules sends, with descriptors of every sort.

import CLinux
import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding

/// One packet of the tape: a byte that says what is put right in it, two for its length, and its bytes.
struct TapePacket {
    /// Bit 0: the header gets the true length. Bit 1: and the serial that is due. Bits 2 to 4: descriptors beside it.
    /// Bit 5: the receiver reads at once. Bit 6: it is sent 40 times. Bit 7: the receiver gives no credit back.
    let control: UInt8
    private(set) var bytes: [UInt8]

    init(_ input: inout InputReader) {
        control = input.byte()
        bytes = input.bytes(Int(input.word()))
        if control & 1 != 0, bytes.count >= PacketHeader.size {
            put(UInt32(bytes.count - PacketHeader.size), at: 4)
        }
    }

    var hasDueSerial: Bool { control & 2 != 0 }
    var isReadAtOnce: Bool { control & 32 != 0 }
    var copies: Int { control & 64 != 0 ? 40 : 1 }
    var isKept: Bool { control & 128 != 0 }
    var kind: UInt16 { bytes.count >= 2 ? UInt16(bytes[0]) | UInt16(bytes[1]) << 8 : 0 }

    mutating func put(serial: UInt32) { if bytes.count >= PacketHeader.size { put(serial, at: 8) } }

    private mutating func put(_ number: UInt32, at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: number >> UInt32(8 * index)) }
    }
}

/// The descriptors that a tape's packets are sent with, made once.
struct TapeDescriptors: Sendable {
    private let sets: [[SharedDescriptor]]

    init() {
        do {
            let sealed = SharedDescriptor(try SealedMemory.make([1, 2, 3]))
            let empty = SharedDescriptor(try SealedMemory.make([]))
            let unsealed = SharedDescriptor(owning: exthost_memfd_create("fuzz"))
            let device = SharedDescriptor(owning: open("/dev/null", O_RDWR | O_CLOEXEC))
            let file = SharedDescriptor(owning: open("/proc/self/exe", O_RDONLY | O_CLOEXEC))
            sets = [
                [], [sealed], [unsealed], [sealed, device], [empty], [file, sealed],
                Array(repeating: device, count: 16),
                Array(repeating: sealed, count: 17),
            ]
        } catch {
            finding("no descriptors to send: \(error)")
        }
    }

    func beside(_ packet: TapePacket) -> [SharedDescriptor] { sets[Int(packet.control >> 2 & 7)] }
}

/// The lowest number that a new descriptor would get: it grows when one is left open.
func lowestFreeDescriptor() -> Int32 {
    let number = dup(0)
    must(number >= 0, "no descriptor is free")
    close(number)
    return number
}
