// SCNetworkReachability: whether this process has a network, asked of the kernel.

@_exported public import Foundation
internal import Glibc
internal import Locks

/// The facts of the way to a host.
public struct SCNetworkReachabilityFlags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static var transientConnection: Self { Self(rawValue: 1 << 0) }
    public static var reachable: Self { Self(rawValue: 1 << 1) }
    public static var connectionRequired: Self { Self(rawValue: 1 << 2) }
    public static var connectionOnTraffic: Self { Self(rawValue: 1 << 3) }
    public static var interventionRequired: Self { Self(rawValue: 1 << 4) }
    public static var connectionOnDemand: Self { Self(rawValue: 1 << 5) }
    public static var isLocalAddress: Self { Self(rawValue: 1 << 16) }
    public static var isDirect: Self { Self(rawValue: 1 << 17) }
    public static var isWWAN: Self { Self(rawValue: 1 << 18) }
    public static var connectionAutomatic: Self { .connectionOnTraffic }
}

/// A callback: a function without a context on Apple's systems.
public typealias SCNetworkReachabilityCallBack = (
    SCNetworkReachability, SCNetworkReachabilityFlags, UnsafeMutableRawPointer?
) -> Void

/// The object that a callback gets.
public struct SCNetworkReachabilityContext {
    public var version: Int
    public var info: UnsafeMutableRawPointer?
    public var retain: ((UnsafeRawPointer) -> UnsafeRawPointer)?
    public var release: ((UnsafeRawPointer) -> Void)?
    public var copyDescription: ((UnsafeRawPointer) -> Unmanaged<NSString>)?

    public init(
        version: Int, info: UnsafeMutableRawPointer?, retain: ((UnsafeRawPointer) -> UnsafeRawPointer)?,
        release: ((UnsafeRawPointer) -> Void)?,
        copyDescription: ((UnsafeRawPointer) -> Unmanaged<NSString>)?
    ) {
        (self.version, self.info, self.retain) = (version, info, retain)
        (self.release, self.copyDescription) = (release, copyDescription)
    }
}

/// The way to a host or an address. Safe to use from any thread.
///
/// Any host counts as reachable if this process has a network interface that is up, other than the loopback one. An
/// extension without the entitlement of the network has none. No name is looked up and nothing is sent.
public final class SCNetworkReachability: Sendable {
    private let isLocal: Bool
    private let callback = Mutex<Callback?>(nil)

    private struct Callback: @unchecked Sendable {  // the caller keeps the object of its context alive
        let function: SCNetworkReachabilityCallBack
        let info: UnsafeMutableRawPointer?
    }

    init(isLocal: Bool) { self.isLocal = isLocal }

    var flags: SCNetworkReachabilityFlags {
        if isLocal { return [.reachable, .isLocalAddress] }
        return Self.hasNetwork ? .reachable : []
    }

    private static var hasNetwork: Bool {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return false }
        defer { freeifaddrs(list) }
        var next = list
        while let entry = next?.pointee {
            let isUp = entry.ifa_flags & UInt32(IFF_UP) != 0 && entry.ifa_flags & UInt32(IFF_RUNNING) != 0
            let isOwn = entry.ifa_flags & UInt32(IFF_LOOPBACK) != 0
            let family = entry.ifa_addr.map { Int32($0.pointee.sa_family) }
            if isUp, !isOwn, family == AF_INET || family == AF_INET6 { return true }
            next = entry.ifa_next
        }
        return false
    }

    func set(_ function: SCNetworkReachabilityCallBack?, _ info: UnsafeMutableRawPointer?) {
        let made = function.map { Callback(function: $0, info: info) }
        callback.withLock { $0 = made }
    }

    /// Calls the callback once with the present flags.
    func report(on queue: DispatchQueue) {
        queue.async { [self] in
            guard let callback = callback.withLock({ $0 }) else { return }
            callback.function(self, flags, callback.info)
        }
    }
}

/// Makes the way to a host.
///
/// - Parameters:
///   - allocator: nil.
///   - name: the host.
public func SCNetworkReachabilityCreateWithName(
    _ allocator: AnyObject?, _ name: UnsafePointer<CChar>
) -> SCNetworkReachability? {
    let name = String(cString: name)
    return name.isEmpty ? nil : SCNetworkReachability(isLocal: name == "localhost")
}

/// Makes the way to an address. The address 0.0.0.0 stands for any host.
///
/// - Parameters:
///   - allocator: nil.
///   - address: an address of IPv4 or IPv6.
public func SCNetworkReachabilityCreateWithAddress(
    _ allocator: AnyObject?, _ address: UnsafePointer<sockaddr>
) -> SCNetworkReachability? {
    guard Int32(address.pointee.sa_family) == AF_INET else { return SCNetworkReachability(isLocal: false) }
    let first = UnsafeRawPointer(address).load(fromByteOffset: 4, as: UInt8.self)
    return SCNetworkReachability(isLocal: first == 127)
}

/// Gets the flags of the present time. Always true.
@discardableResult public func SCNetworkReachabilityGetFlags(
    _ target: SCNetworkReachability, _ flags: UnsafeMutablePointer<SCNetworkReachabilityFlags>
) -> Bool {
    flags.pointee = target.flags
    return true
}

/// Keeps a callback.
///
/// - Parameters:
///   - target: the way to a host.
///   - callout: the callback; nil for none.
///   - context: the object that it gets, which its caller keeps alive.
@discardableResult public func SCNetworkReachabilitySetCallback(
    _ target: SCNetworkReachability, _ callout: SCNetworkReachabilityCallBack?,
    _ context: UnsafeMutablePointer<SCNetworkReachabilityContext>?
) -> Bool {
    target.set(callout, context?.pointee.info)
    return true
}

/// Calls the callback once with the present flags. Later changes are not observed.
///
/// - Parameters:
///   - target: the way to a host.
///   - queue: the queue of the call; nil makes none.
@discardableResult public func SCNetworkReachabilitySetDispatchQueue(
    _ target: SCNetworkReachability, _ queue: DispatchQueue?
) -> Bool {
    if let queue { target.report(on: queue) }
    return true
}

/// Returns 0, the status of success: no call here fails.
public func SCError() -> Int32 { 0 }

extension sockaddr {
    /// The length of the structure for its family, which Linux's has no member for. A value that is set has no effect.
    public var sa_len: UInt8 {
        get {
            UInt8(
                Int32(sa_family) == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        }
        set {}
    }
}

extension sockaddr_in {
    /// The length of the structure, which Linux's has no member for. A value that is set has no effect.
    public var sin_len: UInt8 {
        get { UInt8(MemoryLayout<sockaddr_in>.size) }
        set {}
    }
}

extension sockaddr_in6 {
    /// The length of the structure, which Linux's has no member for. A value that is set has no effect.
    public var sin6_len: UInt8 {
        get { UInt8(MemoryLayout<sockaddr_in6>.size) }
        set {}
    }
}
