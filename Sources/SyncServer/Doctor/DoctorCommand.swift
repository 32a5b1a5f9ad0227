internal import ProgramKit

enum DoctorCommand {
    static let command = Command(
        "doctor",
        summary: "tell what is well and what is not",
        options: Option.certificate + [Option("--repair", "mend what can be mended")],
        details: """
            One line a check: ok, warning, trouble or mended, and under it what to do.
            Exit code 1 when there is trouble.
            """
    ) { arguments, context in
        var doctor = try doctor(arguments, context)
        let progress = StepProgress(context)
        doctor.observe = progress.update
        let diagnosis = Diagnosis(await doctor())
        progress.end()
        context.output.result(diagnosis.json) { diagnosis.text }
        return diagnosis.isWell ? .success : .failure
    }

    /// Returns the doctor for a command line.
    static func doctor(_ arguments: Arguments, _ context: ServerContext) throws -> Doctor {
        let given = try arguments.certificate(of: command.name)
        var doctor = Doctor(path: try context.dataFolder(), now: context.now())
        doctor.repairs = arguments.flag("--repair")
        doctor.given = given
        return doctor
    }
}
