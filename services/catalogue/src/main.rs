//! Starts the catalogue.

fn main() -> std::process::ExitCode {
    catalogue::program().main()
}
