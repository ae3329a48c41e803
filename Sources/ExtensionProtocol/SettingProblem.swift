// SettingProblem: a setting that was left out, in one line.

extension SettingProblem: CustomStringConvertible {
    public var description: String { "\(source): " + (name.map { "\($0) was left out: " } ?? "") + message }
}
