// TransferLoop: the loop of a program that has nothing but the service, and the real clock.

public import Glibc
internal import LinuxDescriptors

/// The real time.
public final class SystemTransferClock: TransferClock {
    public var now: Int { Int(SystemClock.realtimeNanoseconds()) }
    /// Makes a clock.
    public init() {}
}

/// A loop on poll(2), for a program that serves the service on one thread.
public struct TransferLoop {
    private let service: TransferService
    private let clock: any TransferClock

    /// Makes a loop.
    ///
    /// - Parameters:
    ///   - service: the service.
    ///   - clock: the clock of the service.
    public init(_ service: TransferService, clock: any TransferClock) { (self.service, self.clock) = (service, clock) }

    /// Waits until a descriptor is ready or the service has work, and lets the service perform that.
    ///
    /// - Parameters:
    ///   - others: the descriptors of the program, such as its connection to the daemon. Afterwards each has its
    ///     `revents`, and the program handles them.
    ///   - most: the longest time to wait, in milliseconds; nil: any time.
    public func turn(_ others: inout [pollfd], most: Int? = nil) {
        var wait = most
        if let deadline = service.deadline {
            // Rounded up: a loop that wakes too early would turn until then.
            let milliseconds = max(0, deadline - clock.now + 999_999) / 1_000_000
            wait = min(wait ?? milliseconds, milliseconds)
        }
        var all = others
        if let descriptor = service.descriptor {
            all.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        }
        if poll(&all, nfds_t(all.count), Int32(clamping: wait ?? -1)) >= 0 {
            for index in others.indices { others[index].revents = all[index].revents }
        } else {
            for index in others.indices { others[index].revents = 0 }
        }
        service.step()
    }
}
