// Key: every key of every message, spelt once.

/// The keys of a packet's dictionary.
public enum Key: String, Sendable, Hashable, CaseIterable {
    case attachments, bundle, bytes, cause, clock, code, containingApp, decidedBy, delay, detail, displayName
    case election, event, events, exit, exited, exits, expired, `extension`, extensions, finished, from
    case host, hosts, hostState, identifier, items, limit, maximum, memory, message, minimum, name, notification, number, offset,
        output, stream
    case oldest, outcome, packets, path, payload, peakMemory, pid, point, principalClass, problems, processes, prefix
    case created, process, provider, delivered, ready, remedy, request, requests, resumed, role, sdk, sequence, session,
        shortVersion
    case signal, spawn, started, state, status, stderrTail, time, timeout, timings, to, token, type, types, user, version
    case winner, work, since, began, count, limits, execution, follow
}
