// Key: every key of every message, record and journal, spelt once.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// The keys of a packet's dictionary.
public enum Key: String, Sendable, Hashable, CaseIterable {
    case about, accepts, action, activity, after, again, allCopies, allowance, allVersions, answers, app, arguments,
        attachments, attribute
    case began, body, bounds, breakers, buckets, bundle, bus, bytes
    case call, callLimits, cause, change, clause, clauses, client, clock, code, completed, confinement, connection,
        connections, consent, consents, containingApp, contents, coreDump, count, created, criteria
    case decidedBy, delay, deleted, delivered, descriptors, detail, disabled, displayName
    case election, ended, ends, entitlement, event, events, executable, execution, exit, expired, `extension`,
        extensions
    case failures, fault, files, final, finished, folders, follow, force, form, framework, from
    case gap, grace, groupContainers, groups
    case help, host, hosts, hostState
    case identifier, index, information, interface, isInBackground, isNetworkClient, items
    case keeps, kept, kind
    case labels, lastDeath, launched, layer, level, limit, limits, lines, load, loads, lost
    case maximum, memory, message, metrics, minimum, missing
    case name, nearMiss, network, notification, number
    case offset, oldest, on, openURL, outcome, output
    case packet, packets, parentName, path, payload, peakMemory, pid, point, policy, prefix, prewarm, principalClass,
        problems, process, processes, provenance, provider
    case reached, ready, reason, received, refusals, refused, registeredAt, remedy, request, requests, result,
        resumable, resumption, role, routed, rule, rules
    case samples, sandbox, sdk, sealed, seed, sends, sent, sequence, serial, service, settings, shortName, shortVersion,
        shown, signal, since, socket, source, spawn, started, state, status, stderrTail, stream, sum, support
    case tail, text, time, timeout, timer, timers, timings, to, token, total, treeKill, type
    case unit, unreported, url, used, user, uuid
    case value, values, version
    case waits, warnings, watching, webPage, webPages, why, window, work
}
