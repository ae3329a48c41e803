// Exports: importing PointHosts gives what its functions take and return: the rules of content blockers, the items and
// queries of an index, and the values of calls, such as flows and configurations of tunnels.

@_exported public import ContentRules
@_exported public import PointMessages
@_exported public import SpotlightStore
