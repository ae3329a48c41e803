// Key: every key of every message, spelt once.

/// The keys of a packet's dictionary.
public enum Key: String, Sendable, Hashable, CaseIterable {
    case attachments, bundle, bytes, cause, code, containingApp, decidedBy, delay, detail, displayName
    case event, events, exit, exits, expired, `extension`, extensions, finished, from
    case host, hosts, hostState, identifier, items, maximum, memory, message, minimum, name, notification, offset,
        output, stream
    case oldest, outcome, packets, path, payload, peakMemory, pid, point, principalClass, problems, processes
    case created, process, provider, delivered, ready, remedy, request, requests, resumption, role, sdk, sequence,
        shortVersion
    case signal, spawn, started, state, status, stderrTail, time, timeout, timings, to, token, type, user, version
    case work, since, began, count, limits, execution, follow
    case allCopies, allVersions, criteria, election, executable, information, parentName, prefix, registeredAt, rule, shortName,
        uuid, warnings
    case clause, clauses, force, level, nearMiss, result, shown, webPage, webPages, why
    case completed, form, load, total
    case accepts, interface, openURL, policy, provenance, rules, sends, source, timers
    case bus, clock, disabled, folders, lastDeath, lines, lost, sandbox, socket, treeKill, watching
    case received, resumable
    case breakers, failures, waits
    case action, text
    case coreDump, limit, loads, reached, tail, used
    case deleted, groups, kept, refused
    case arguments, launched, reason, url
    case files, settings, value
    case bounds, buckets, help, labels, metrics, samples, sum, unit
    case answers, body, change, connection, contents, descriptors, ended, gap, index, packet, sealed, serial, timer
    case number
    case about, allowance, call, kind, layer, missing, network, refusals
    case after, fault, seed, sent
    case again, keeps
    case prewarm
}
