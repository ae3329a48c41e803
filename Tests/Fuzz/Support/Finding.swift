// Finding: how a fuzz target says that something which must always hold did not.

/// Ends the process, so that libFuzzer keeps the input.
func finding(_ what: String) -> Never {
    // A finding is this program's purpose, and a crash is how libFuzzer learns of it.
    fatalError("finding: \(what)")
}

/// Ends the process unless `holds`.
func must(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { finding(what()) }
}

/// Every refusal tells its cause, in few words whatever the input was.
func checkText(of error: any Error) {
    let text = "\(error)"
    must(!text.isEmpty && text.utf8.count < 2000, "an error of \(text.utf8.count) bytes: \(text.prefix(200))")
}
