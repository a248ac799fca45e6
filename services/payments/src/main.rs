//! The payments service: everything about money.

fn main() -> std::process::ExitCode {
    payments::program().main()
}
