// PointRecords: the records of the extension points in lists.

public import ExtensionProtocol

extension PointTable {
    /// The records of all points, sorted by identifier, then those of the files that are none.
    public var records: [PointRecord] { points.map(\.record) + badFiles.map(\.record) }
}

extension ExtensionPoint {
    fileprivate var record: PointRecord {
        PointRecord(
            identifier: identifier, name: name, hasInterface: hasInterface, policy: processPolicy.rawValue,
            prewarm: prewarm,
            takesActivationRules: takesActivationRules,
            timers: Timers.Name.allCases.compactMap { name in
                timers[name].map { PointRecord.Timer(name: name.rawValue, delay: $0 / .seconds(1)) }
            },
            memoryLimit: memoryLimit.map {
                PointRecord.MemoryLimit(bytes: $0.bytes, provenance: $0.provenance.rawValue, source: $0.source)
            },
            limits: ResourceLimits.Name.allCases.compactMap { name in
                limits[name].map { PointRecord.Limit(name: name.rawValue, limit: $0) }
            },
            urlPolicy: urlPolicy.rawValue, hostNotifications: hostNotifications, accepts: messages.accepts,
            sends: messages.sends,
            callLimits: callLimits.sorted { $0.key < $1.key }.map {
                .init(name: $0.key, delay: $0.value / .seconds(1))
            },
            framework: framework, support: support, ends: ends, consents: consents,
            entitlement: entitlement?.description, confinement: confinement.record,
            source: source, path: path, problems: [])
    }
}

extension PointConfinement {
    /// The record; nil for the usual confinement.
    fileprivate var record: PointRecord.Confinement? {
        guard self != PointConfinement() else { return nil }
        return PointRecord.Confinement(
            network: network.rawValue, groupContainers: groupContainers.rawValue, consent: unless?.consent,
            attribute: unless?.attribute)
    }
}

extension PointTable.BadFile {
    fileprivate var record: PointRecord {
        // The point itself is unknown, so the values are those of an undeclared point.
        var record = ExtensionPoint(identifier: path, hasInterface: false).record
        record.path = path
        record.problems = [problem.cut(toBytes: 1024)]
        return record
    }
}
