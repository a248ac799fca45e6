//! The reviews service: reviews of sessions, and their moderation.

use reviews::picture::shrink;

fn main() -> std::process::ExitCode {
    // The child that decodes a picture needs no settings, logs or runtime.
    if std::env::args_os().nth(1).is_some_and(|command| command == shrink::COMMAND) {
        return shrink::main();
    }
    reviews::program().main()
}
