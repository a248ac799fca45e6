//! The identity service: accounts, sessions and tokens.

fn main() -> std::process::ExitCode {
    identity::program().main()
}
