// EchoService: the program of docs/extension-points.md, as it stands there; for tests.

import CallVocabulary
import ExtensionPointKit
import ServiceProgramKit

let program = try ServiceProgram.start { connection in
    var handlers = PointHandlers()
    handlers.on(Echo.self) { echo, _ in Echo.Reply(echo) }
    return handlers
}
program.serve()
