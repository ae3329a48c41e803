// ELFHeader: the header of an ELF file, which names the machine that a program is for (elf(5)).

package struct ELFHeader {
    package let is64Bit: Bool
    package let isLittleEndian: Bool
    /// The value of `e_machine`.
    package let machine: UInt16
    /// Whether it can be executed: `ET_EXEC`, or `ET_DYN` like position-independent programs.
    package let isProgram: Bool

    /// Reads a header; nil if the bytes are no ELF file.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 20, bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]), (1...2).contains(bytes[4]),
            (1...2).contains(bytes[5])
        else {
            return nil
        }
        let little = bytes[5] == 1
        func half(_ offset: Int) -> UInt16 {
            let (first, second) = (UInt16(bytes[offset]), UInt16(bytes[offset + 1]))
            return little ? first | second << 8 : second | first << 8
        }
        is64Bit = bytes[4] == 2
        isLittleEndian = little
        machine = half(18)
        isProgram = (2...3).contains(half(16))
    }

    private init(machine: UInt16) {
        is64Bit = MemoryLayout<Int>.size == 8
        #if _endian(little)
            isLittleEndian = true
        #else
            isLittleEndian = false
        #endif
        self.machine = machine
        isProgram = true
    }

    /// The machine that this program itself was built for.
    package static let ofThisMachine: ELFHeader = {
        #if arch(x86_64)
            ELFHeader(machine: 62)
        #elseif arch(arm64)
            ELFHeader(machine: 183)
        #elseif arch(i386)
            ELFHeader(machine: 3)
        #elseif arch(arm)
            ELFHeader(machine: 40)
        #elseif arch(riscv64)
            ELFHeader(machine: 243)
        #elseif arch(powerpc64le)
            ELFHeader(machine: 21)
        #elseif arch(s390x)
            ELFHeader(machine: 22)
        #endif
    }()

    package var machineName: String {
        let name =
            switch machine {
            case 3: "x86"
            case 8: "MIPS"
            case 20: "PowerPC"
            case 21: "PowerPC 64"
            case 22: "S/390"
            case 40: "ARM"
            case 62: "x86-64"
            case 183: "AArch64"
            case 243: "RISC-V"
            case 258: "LoongArch"
            default: "machine \(machine)"
            }
        return isLittleEndian == Self.ofThisMachine.isLittleEndian
            ? name : "\(name), \(isLittleEndian ? "little" : "big")-endian"
    }
}
