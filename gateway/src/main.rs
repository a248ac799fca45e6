//! Starts the gateway.

fn main() -> std::process::ExitCode {
    gateway::program().main()
}
