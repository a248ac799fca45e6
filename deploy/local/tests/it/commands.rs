//! What the program answers without a running practice, as a snapshot: usage, mistakes in commands
//! and in what they are given, and that no practice runs.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};
use std::{fs, io};

const CALLS: &[&str] = &[
    "nothing",
    "up now",
    "prepare --everything",
    "paths one two",
    "test-services --start",
    "mails retry",
    "mails settle",
    "parked",
    "orders",
    "dispute",
    "today tomorrow",
    "today 2026-11-24 2026-11-25",
    "bookings --days many",
    "bookings --state sleeping",
    "bookings --from yesterday",
    "bookings --from",
    "block",
    "block 2026-11-24 14:00",
    "block 2026-11-24 25:00 26:00",
    "block 2026-11-24 16:00 14:00",
    "unblock bkg_1",
    "cancel",
    "cancel bkg_1 --by me",
    "cancel bkg_1 --refund some",
    "cancel bkg_00000000000000000000000000000001 --by me",
    "cancel bkg_00000000000000000000000000000001 --refund some",
    "accept-claim",
    "accept-claim usr_1",
    "refund bkg_1 4.999",
    "refund bkg_00000000000000000000000000000001 4.999",
    "refund bkg_00000000000000000000000000000001 -5",
    "refund bkg_00000000000000000000000000000001 5 --key short",
    "mails all",
    "mails --state asleep",
    "mails --failed --waiting",
    "mails --failed --state sent",
    "mails --booking mal_00000000000000000000000000000001",
    "mails retry --reason smtp_554",
    "mails retry mal_00000000000000000000000000000001 --failed",
    "mails settle bkg_00000000000000000000000000000001",
    "parked list all",
    "orders unexplained all",
    "orders explain one two",
    "orders explain none pay_1 because",
    "dispute pack bkg_1",
    "consent",
    "consent verify",
    "consent withdrawn all",
    "consent verify one two",
    "doctor booking",
    "doctor payments usr_1",
    "balances --loud",
    "ledger",
    "ledger bkg_1",
    "reset-factors",
    "reset-factors asha@sukoon.example",
    "today",
    "bookings",
    "balances --json",
    "doctor",
];

/// Runs the program without settings, but for a data folder in which no practice is.
fn run(arguments: &str, data: &Path, settings: &[(&str, &str)]) -> io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_sukoon"))
        .args(arguments.split_whitespace())
        .env_clear()
        .env("SUKOON_DATA", data)
        .envs(settings.iter().copied())
        .output()
}

/// What it answers. The whole usage is shown once, and then stands as `<usage>`.
fn answer(
    arguments: &str,
    (data, usage): (&Path, &str),
    settings: &[(&str, &str)],
) -> io::Result<String> {
    let output = run(arguments, data, settings)?;
    let code = output.status.code().map_or_else(|| "none".to_owned(), |code| code.to_string());
    let given: String = settings.iter().map(|(name, value)| format!("{name}={value} ")).collect();
    let mut told = format!("$ {given}sukoon {arguments}\nexit code: {code}\n");
    for (stream, bytes) in [("out", output.stdout), ("err", output.stderr)] {
        for line in String::from_utf8_lossy(&bytes).replace(usage, "<usage>").lines() {
            // Writing to a string cannot fail.
            writeln!(told, "{stream}: {line}").ok();
        }
    }
    told.push('\n');
    Ok(told)
}

#[test]
fn operators_are_answered_like_this() -> io::Result<()> {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no practice");
    fs::create_dir_all(&data)?;
    let help = run("help", &data, &[])?;
    for other in ["--help", "-h"] {
        assert_eq!(run(other, &data, &[])?, help);
    }
    assert!(help.status.success() && help.stderr.is_empty());
    let usage = String::from_utf8_lossy(&help.stdout);
    let mut told = format!("$ sukoon help\n{usage}\n");
    let data = (data.as_path(), usage.trim_end());
    for arguments in CALLS {
        told.push_str(&answer(arguments, data, &[])?);
    }
    let far = ("SUKOON_URL", "http://sukoon.example");
    let person = [("SUKOON_EMAIL", "a@sukoon.example"), ("SUKOON_PASSWORD", "a word")];
    told.push_str(&answer("today", data, &[far])?);
    told.push_str(&answer("today", data, &[far, person[0], person[1]])?);
    insta::assert_snapshot!("commands", told);
    Ok(())
}

#[test]
fn staff_are_told_what_each_command_takes() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let usage = String::from_utf8_lossy(&run("help", folder, &[])?.stdout).into_owned();
    let ours = usage.lines().skip_while(|line| !line.starts_with("for staff")).skip(3);
    let mut told = String::new();
    for line in ours {
        let name = line.get(..26).unwrap_or(line).trim();
        told.push_str(&answer(&format!("{name} --help"), (folder, &usage), &[])?);
    }
    insta::assert_snapshot!("help", told);
    Ok(())
}

#[test]
fn usage_is_shown_outside_of_a_checkout_too() -> io::Result<()> {
    // Elsewhere is where a package installs it. A link, because a program that was just written
    // can't be started while a child of another test still has the file open.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("installed");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let program = folder.join("sukoon");
    fs::hard_link(env!("CARGO_BIN_EXE_sukoon"), &program)?;
    let output = Command::new(&program).arg("help").env_clear().current_dir("/").output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::remove_dir_all(folder)
}
