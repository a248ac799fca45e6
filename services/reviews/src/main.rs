//! The reviews service: what visitors write about their sessions, and who may take it away.

use reviews::picture::shrink;

fn main() -> std::process::ExitCode {
    // The child that decodes a picture has no settings, no logs, and no runtime.
    if std::env::args_os().nth(1).is_some_and(|command| command == shrink::COMMAND) {
        return shrink::main();
    }
    reviews::program().main()
}
