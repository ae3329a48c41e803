// Exports: importing PointHosts gives the rules of content blockers, too.

@_exported public import ContentRules
