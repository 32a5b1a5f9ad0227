internal import ProgramKit

enum DoctorCommand {
    static let command = Command(
        "doctor",
        summary: "check the server's data, and say what to do",
        options: Option.certificate + [Option("--repair", "repair what can be repaired")],
        details: """
            Each check prints one line: ok, warning, trouble or repaired. The line below it
            says what to do. The exit code is 1 if a check finds trouble.
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

    static func doctor(_ arguments: Arguments, _ context: ServerContext) throws -> Doctor {
        let given = try arguments.certificate(of: command.name)
        var doctor = Doctor(path: try context.dataFolder(), now: context.now())
        doctor.repairs = arguments.flag("--repair")
        doctor.given = given
        return doctor
    }
}
