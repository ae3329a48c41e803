// ConfinementProbe: the layers of confinement that really work here, found by confining real children.

internal import Glibc

/// The result of a probe. A probe waits for a few children, milliseconds each: do not run it on a loop's thread.
public struct ConfinementProbe: Sendable, Hashable {
    /// The time limit of a child in milliseconds: for one that hangs, not for one on a busy machine.
    private static let patience: Int32 = 30_000

    /// The layers that can be applied together, each of which refused a child what it must refuse.
    public let found: ConfinementLayers
    /// The reasons why other layers are not available.
    public let problems: [String]

    /// Tries all layers at once, and each by itself if that fails.
    ///
    /// - Parameters:
    ///   - initProgram: the path of `exthost-init`.
    ///   - wanted: the layers to try; Landlock in this version at most.
    ///   - identity: the user of the children; `nil`: the caller's user.
    public init(
        initProgram: String,
        wanted: ConfinementLayers = ConfinementLayers(namespaces: true, landlock: .max, seccomp: true),
        as identity: UserIdentity? = nil
    ) {
        var all = wanted
        var problems: [String] = []
        if wanted.landlock > 0 {
            do throws(SystemError) {
                all.landlock = min(wanted.landlock, try KernelCapabilities.landlockVersion(), Self.newestLandlock)
            } catch {
                all.landlock = 0
                problems.append("landlock: \(error)")
            }
        }
        guard !all.isEmpty else {
            (found, self.problems) = (.none, problems)
            return
        }
        if Self.problem(with: all, initProgram, identity) == nil {
            (found, self.problems) = (all, problems)
            return
        }
        var found = ConfinementLayers.none
        let each = [
            ConfinementLayers(namespaces: all.namespaces), ConfinementLayers(landlock: all.landlock),
            ConfinementLayers(seccomp: all.seccomp),
        ]
        for layer in each where !layer.isEmpty {
            var together = found
            together.namespaces = found.namespaces || layer.namespaces
            together.landlock = max(found.landlock, layer.landlock)
            together.seccomp = found.seccomp || layer.seccomp
            if let problem = Self.problem(with: together, initProgram, identity) {
                problems.append("\(layer): \(problem)")
            } else {
                found = together
            }
        }
        (self.found, self.problems) = (found, problems)
    }

    /// The newest version of Landlock whose rights exthost-init knows.
    private static let newestLandlock = 7

    /// Returns the layers to apply for `demand`.
    ///
    /// - Throws: for `.required`, the missing layers and the reason.
    public func layers(
        _ demand: ConfinementDemand,
        wanted: ConfinementLayers = ConfinementLayers(namespaces: true, landlock: 1, seccomp: true)
    ) throws(ConfinementMissing) -> ConfinementLayers {
        if demand == .none { return .none }
        guard demand == .best || found.includes(wanted) else { throw ConfinementMissing(wanted: wanted, probe: self) }
        return found
    }

    /// Starts a child that the layers must refuse something; returns the problem, or nil if each layer refused it.
    private static func problem(
        with layers: ConfinementLayers, _ initProgram: String, _ identity: UserIdentity?
    ) -> String? {
        let names = layers.names.map { String($0.prefix { $0 != ":" }) }
        var attributes = SpawnAttributes(executable: initProgram, arguments: ["attempt"] + names, workingDirectory: "/")
        do throws(SystemError) {
            attributes.confinement = Confinement(layers: layers, readable: [try ViewFile(initProgram)])
        } catch {
            return "\(initProgram) is missing: \(error)"
        }
        attributes.enclosure =
            layers.namespaces ? .processNamespace(initProgram: initProgram) : .guardian(program: initProgram)
        attributes.onDaemonExit = .keep
        attributes.identity = identity
        return problem(of: attributes)
    }

    private static func problem(of attributes: SpawnAttributes) -> String? {
        do throws(SpawnError) {
            let child = try spawn(attributes)
            var entry = pollfd(fd: child.pidfd.raw, events: Int16(POLLIN), revents: 0)
            while true {
                let count = poll(&entry, 1, patience)
                if count > 0 { break }
                if count < 0, errno == EINTR { continue }
                _ = try? child.signalTree(SIGKILL)
                return "a child did not exit within \(patience) ms"
            }
            guard let ending = try? child.reap() else { return "a child's exit status was not readable" }
            switch ending.status {
            case .exited(0): return nil
            case .notStarted(let error): return "\(error)"
            case .exited(1): return "it was applied and denied nothing"
            default: return "a child ended with an unexpected status: \(ending.status)"
            }
        } catch {
            return "\(error)"
        }
    }
}

/// The error of a required confinement that is not available.
public struct ConfinementMissing: Error, Sendable, Hashable, CustomStringConvertible {
    public let wanted: ConfinementLayers
    public let probe: ConfinementProbe

    public var description: String {
        let reasons = probe.problems.isEmpty ? "" : " (\(probe.problems.joined(separator: "; ")))"
        return "confinement by \(wanted) is required, and this machine has \(probe.found)\(reasons)"
    }
}
