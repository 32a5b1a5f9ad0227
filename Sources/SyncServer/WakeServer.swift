@main
enum WakeServer {
    static func main() async {}
}
