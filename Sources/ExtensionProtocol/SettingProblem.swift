// SettingProblem: the one-line description of an ignored setting.

extension SettingProblem: CustomStringConvertible {
    public var description: String { "\(source): " + (name.map { "\($0) was ignored: " } ?? "") + message }
}
