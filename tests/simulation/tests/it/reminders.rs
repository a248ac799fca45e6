//! A reminder that was left out is judged by the hours of the practice's own file.

use checker::{Snapshot, check};
use simulation::simulator::{RunOptions, run};

/// How many runs may be looked at for one with a reminder that was sent.
const SEEDS: u64 = 50;

fn is_reported(snapshot: &Snapshot) -> bool {
    let says = "was dropped, and is owed: inside_window";
    check(snapshot).iter().any(|violation| violation.what.contains(says))
}

#[test]
fn a_reminder_that_was_left_out_is_judged_by_the_practices_own_hours() {
    for seed in 0..SEEDS {
        let mut snapshot = run(seed, RunOptions::default()).snapshot;
        let mut mails = snapshot.notifications.mails.iter_mut();
        let sent = mails.find(|row| row.kind == "reminder" && row.state == "sent");
        let Some(reminder) = sent else { continue };
        "dropped".clone_into(&mut reminder.state);
        reminder.reason = Some("inside_window".to_owned());
        assert!(is_reported(&snapshot), "seed {seed}: it was booked early enough for a reminder");
        snapshot.reminder_hours = Some(168);
        assert!(!is_reported(&snapshot), "seed {seed}: it was booked within the week");
        snapshot.reminder_hours = None;
        assert!(!is_reported(&snapshot), "seed {seed}: without the file nothing can be said");
        return;
    }
    panic!("no reminder was sent in {SEEDS} runs");
}
