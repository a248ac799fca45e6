//! The notifications service: the mails of a practice.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [command, folder] = arguments.as_slice()
        && command == "render"
    {
        return notifications::templates::render::command(Path::new(folder));
    }
    notifications::program().main()
}
