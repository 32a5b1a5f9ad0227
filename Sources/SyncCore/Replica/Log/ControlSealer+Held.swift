/// Decisions on held sets.
extension ControlSealer {
    /// Lets held sets count for everybody, or decides that they never do; one control set has up to
    /// ``ControlChain/decisionLimit``.
    ///
    /// Throws ``ControlError`` if this person is no admin, or if a set was decided on before.
    package func decide(
        _ decision: ControlChain.HeldDecision,
        on sets: [SetReference],
        in space: Identifier,
        at now: Moment
    ) throws {
        let number = try spaces.number(ofSpace: space)
        let time = try identity.current().time(at: now)
        for start in stride(from: 0, to: sets.count, by: ControlChain.decisionLimit) {
            let part = Array(sets[start...].prefix(ControlChain.decisionLimit))
            let action = decision == .adopted ? ControlAction.adopt(part) : .decline(part)
            try seal(ControlPlan([action]), in: number, at: time)
        }
    }
}

extension ControlChain {
    /// A decision on those held sets that nobody has decided on; nil if there are none.
    func plan(
        _ decision: ([SetReference]) -> ControlAction,
        on sets: [SetReference]
    ) -> ControlPlan? {
        let open = sets.filter { decisions[$0] == nil }
        return open.isEmpty ? nil : ControlPlan([decision(open)])
    }
}
