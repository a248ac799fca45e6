//! What the program tells an operator whose settings are not complete, as a snapshot.

use std::fmt::Write as _;
use std::process::Command;

const DEVELOPMENT: (&str, &str) = ("SUKOON_MODE", "development");
/// Without settings; in production; without others than the mode; with what is no address.
const SETTINGS: [&[(&str, &str)]; 4] = [
    &[],
    &[("SUKOON_MODE", "production")],
    &[DEVELOPMENT],
    &[
        DEVELOPMENT,
        ("SANDBOX_LISTEN", "here"),
        ("SANDBOX_SMTP_LISTEN", "there"),
        ("SANDBOX_DATA", "/nowhere"),
    ],
];

#[test]
fn the_program_answers_operators_like_this() {
    let mut told = String::new();
    for settings in SETTINGS {
        let program = env!("CARGO_BIN_EXE_sandbox");
        let settings = settings.iter().copied();
        let output = Command::new(program).env_clear().envs(settings.clone()).output().unwrap();
        let code = output.status.code().unwrap();
        writeln!(told, "$ sandbox {:?}\nexit code: {code}", Vec::from_iter(settings)).unwrap();
        for (stream, bytes) in [("out", output.stdout), ("err", output.stderr)] {
            for line in String::from_utf8_lossy(&bytes).lines() {
                writeln!(told, "{stream}: {line}").unwrap();
            }
        }
        told.push('\n');
    }
    insta::assert_snapshot!("program", told);
}
