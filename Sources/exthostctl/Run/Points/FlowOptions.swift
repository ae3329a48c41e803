// FlowOptions: the options of `run` for network filters and proxies.

import ArgumentParser

/// The options for filters and proxies of flows.
struct FlowOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Filter: the URL of the flow, a load of a browser, or tcp:HOST:PORT for a socket's. Default http://example.org/.",
            valueName: "url"))
    var flow: String?

    @Option(
        help: ArgumentHelp("Filter: the bytes that come to the program in the flow.", valueName: "file"),
        completion: .file())
    var inbound: String?

    @Option(
        help: ArgumentHelp("Filter: the bytes that the program sends in the flow.", valueName: "file"),
        completion: .file())
    var outbound: String?

    @Option(
        name: .customLong("control-provider"),
        help: ArgumentHelp("Filter: the control provider, which is asked for rules.", valueName: "id"))
    var control: String?

    @Flag(
        name: .customLong("fail-open"),
        help: "Filter: allow a flow about which the filter does not decide in 5 s. Without it, the flow is dropped.")
    var failsOpen = false

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp(
            "Filter, app proxy: run this command in a network of its own. Each of its connections, through the proxy that ALL_PROXY and http_proxy name, is a flow. DNS proxy: the command's queries are flows.",
            valueName: "command"))
    var command: [String] = []

    /// The options in use that only filters have.
    var ofFilters: [String] {
        [
            ("--flow", flow != nil), ("--inbound", inbound != nil), ("--outbound", outbound != nil),
            ("--control-provider", control != nil), ("--fail-open", failsOpen), ("-- COMMAND", !command.isEmpty),
        ].filter(\.1).map(\.0)
    }
}
