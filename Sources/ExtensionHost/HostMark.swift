// HostMark: a note in each program that can connect as a host, which `exthostctl lint` finds in extensions.

import CHostMark

enum HostMark {
    /// Refers to the note, so that no linker removes it from a program in which this is called.
    static func keep() { _ = exthost_host_mark() }
}
