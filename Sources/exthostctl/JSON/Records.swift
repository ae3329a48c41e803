// Records: the entries of the daemon's lists, in the JSON shapes that scripts rely on (interface, "JSON shapes").

import ExtensionHost
import ExtensionProtocol

extension ProcessRecord {
    var json: JSON {
        [
            "extension": .string(extensionIdentifier), "pid": .integer(pid), "state": .string(state),
            "requests": .list(requests),
            "started": .time(started), "memory": .optional(memory), "sandbox": .optional(sandbox),
            "kind": .string(kind ?? "extension"),
        ]
    }
}

extension RequestRecord {
    var json: JSON {
        [
            "request": .string(request.description), "extension": .string(extensionIdentifier), "host": .string(host),
            "pid": .optional(pid), "state": .string(state), "began": .time(began),
        ]
    }
}

extension HostRecord {
    var json: JSON {
        [
            "host": .string(host), "uid": .integer(user), "pid": .integer(pid), "state": .string(state.rawValue),
            "sequence": .integer(sequence), "requests": .list(requests),
        ]
    }
}

extension DeathRecord {
    /// The death as JSON. Members for a limit, a load, a core or a newer daemon appear only if they apply.
    var json: JSON {
        var members: [(name: String, value: JSON)] = [
            ("extension", .string(extensionIdentifier)), ("pid", .integer(pid)),
            ("cause", .string(exit.cause.rawValue)),
            ("decidedBy", .string(decidedBy)), ("signal", .optional(exit.signal)), ("status", .optional(exit.status)),
            ("requests", .list(requests)), ("peakMemory", .optional(exit.peakMemory)),
            ("limit", .optional(exit.memoryLimit)),
        ]
        members += exit.additions
        if !loads.isEmpty { members.append(("loads", .array(loads.map(\.json)))) }
        members += [("stderrTail", .string(stderrTail)), ("at", .time(time))]
        return .object(members)
    }
}

extension EventRecord {
    /// The event as JSON. Fields that do not apply are left out.
    var json: JSON {
        var members: [(name: String, value: JSON)] = [
            ("seq", .integer(sequence)), ("time", .time(time)), ("event", .string(event)),
        ]
        func add(_ name: String, _ value: JSON?) {
            if let value { members.append((name, value)) }
        }
        add("request", request.map { .string($0.description) })
        add("extension", extensionIdentifier.map(JSON.string))
        add("host", host.map(JSON.string))
        add("pid", pid.map(JSON.integer))
        add("from", from.map(JSON.string))
        add("to", to.map(JSON.string))
        add("cause", cause.map { .string($0.rawValue) })
        add("detail", detail.map(JSON.string))
        return .object(members)
    }
}

extension ExitRecord {
    /// The exit as JSON. Additional members appear only if they apply, as for a death.
    var json: JSON {
        var members: [(name: String, value: JSON)] = [
            ("status", .optional(status)), ("signal", .optional(signal)), ("cause", .string(cause.rawValue)),
            ("peakMemory", .optional(peakMemory)),
        ]
        if let memoryLimit { members.append(("limit", .integer(memoryLimit))) }
        return .object(members + additions)
    }

    fileprivate var additions: [(name: String, value: JSON)] {
        var members: [(name: String, value: JSON)] = []
        if let reached { members.append(("reached", reached.json)) }
        if let coreDump { members.append(("coreDump", .string(coreDump))) }
        if let sandbox { members.append(("sandbox", .string(sandbox))) }
        return members
    }
}

extension LimitRecord {
    /// The limit as JSON, in bytes, seconds, tasks, descriptors or bytes per second.
    var json: JSON {
        guard name == "cpu" else { return ["name": .string(name), "limit": .integer(limit), "used": .integer(used)] }
        return [
            "name": .string(name), "limit": .optional(Double(limit) / 1000), "used": .optional(Double(used) / 1000),
        ]
    }
}

extension RefusalRecord {
    var json: JSON {
        [
            "layer": .string(layer), "kind": .string(kind), "call": .string(call), "about": .string(about),
            "allowance": .optional(allowance), "remedy": .string(remedy),
        ]
    }
}

extension LoadRecord {
    var json: JSON {
        ["request": .string(request.description), "attachment": .integer(provider), "type": .string(type)]
    }
}

extension Timings {
    var json: JSON {
        [
            "spawn": .optional(spawn), "ready": .optional(ready), "delivered": .optional(delivered),
            "finished": .optional(finished),
            "exited": .optional(exited),
        ]
    }
}

extension JSON {
    static func list(_ requests: [RequestIdentifier]) -> JSON { .array(requests.map { .string($0.description) }) }
}
