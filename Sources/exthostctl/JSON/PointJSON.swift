// PointJSON: an extension point as JSON.

import ExtensionProtocol

extension PointRecord {
    /// The point as JSON. A disabled timer is null.
    var json: JSON {
        let names = ["launch", "firstRequest", "request", "load", "postComplete", "expire", "term", "idle", "suspend"]
        let others = timers.map(\.name).filter { !names.contains($0) }
        return [
            "identifier": .string(identifier), "name": .string(name), "interface": .boolean(hasInterface),
            "policy": .string(policy), "prewarm": .integer(prewarm),
            "activationRules": .boolean(takesActivationRules),
            "timers": .object(
                (names + others).map { name in (name, .optional(timers.first { $0.name == name }?.delay)) }),
            "memoryLimit": memoryLimit.map {
                ["bytes": .integer($0.bytes), "provenance": .string($0.provenance), "source": .string($0.source)]
            } ?? .null,
            "limits": .object(limits.map { ($0.name, .integer($0.limit)) }),
            "openURL": .string(urlPolicy), "hostNotifications": .boolean(hostNotifications),
            "accepts": .array(accepts.map(JSON.string)), "sends": .array(sends.map(JSON.string)),
            "callLimits": .object(callLimits.map { ($0.name, .optional(Double?.some($0.delay))) }),
            "framework": .optional(framework), "support": .optional(support), "ends": .optional(ends),
            "consents": .array(consents.map(JSON.string)), "entitlement": .optional(entitlement),
            "confinement": confinement.map {
                [
                    "network": .string($0.network), "groupContainers": .string($0.groupContainers),
                    "consent": .optional($0.consent), "attribute": .optional($0.attribute),
                ]
            } ?? .null,
            "source": .optional(source), "path": .optional(path), "problems": .array(problems.map(JSON.string)),
        ]
    }
}
