// Exports: importing PointHosts gives the rules of content blockers, and the items and queries of an index, too.

@_exported public import ContentRules
@_exported public import SpotlightStore
