//! What was seen from outside while a test ran: what was acknowledged, which mails arrived, and
//! which faults may have sent a mail twice.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use simulation::checker::snapshot::{Ack, Letter};

/// How many mails are on their way at a time at most: as many as timers of a kind run.
const CONVERSATIONS_MAX: usize = 4;

/// What was seen. The sandbox keeps only its newest mails, and this keeps all that were looked at.
#[derive(Debug, Default)]
pub struct Witness {
    acks: Mutex<Vec<Ack>>,
    letters: Mutex<BTreeMap<(String, String), Letter>>,
    repeats: AtomicUsize,
}

impl Witness {
    /// Notes what somebody was told to be done.
    pub fn acknowledged(&self, ack: Ack) {
        let mut acks = self.acks.lock().unwrap_or_else(PoisonError::into_inner);
        if !acks.contains(&ack) {
            acks.push(ack);
        }
    }

    /// Notes mails as the sandbox lists them.
    pub fn mails(&self, mails: &[Value]) {
        let mut letters = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
        for mail in mails {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            // The inbox leaves the angle brackets out.
            let id = text(&mail["messageId"]);
            let message_id = format!("<{}>", id.trim_matches(['<', '>']));
            let letter = Letter { message_id, to: text(&mail["to"][0]) };
            letters.insert((text(&mail["receivedAt"]), text(&mail["id"])), letter);
        }
    }

    /// Notes that a part was killed, whose mails may have been taken without its knowing.
    pub fn part_was_killed(&self, part: &str) {
        if matches!(part, "notifications" | "postgres" | "sandbox") {
            self.mails_may_repeat(CONVERSATIONS_MAX);
        }
    }

    /// Notes a fault that the sandbox was asked for.
    pub fn fault_was_ordered(&self, fault: &Value) {
        let smtp = fault["target"].as_str().is_some_and(|it| it == "*" || it.starts_with("smtp"));
        let twice = ["duplicate", "timeout_after_success", "delay", "drop"];
        if smtp && twice.iter().any(|kind| fault["kind"] == *kind) {
            let times = fault["times"].as_u64().unwrap_or(1);
            self.mails_may_repeat(usize::try_from(times).unwrap_or(usize::MAX));
        }
    }

    /// Notes that so many mails may come twice.
    pub fn mails_may_repeat(&self, count: usize) {
        self.repeats.fetch_add(count, Ordering::SeqCst);
    }

    /// Everything that was acknowledged, once each.
    #[must_use]
    pub fn acks(&self) -> Vec<Ack> {
        self.acks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Forgets what was acknowledged after the first `count`: a backup from before was restored.
    pub fn forget_acks_after(&self, count: usize) {
        self.acks.lock().unwrap_or_else(PoisonError::into_inner).truncate(count);
    }

    /// Every mail that was seen, oldest first.
    #[must_use]
    pub fn letters(&self) -> Vec<Letter> {
        let letters = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
        letters.values().cloned().collect()
    }

    /// How many mails may have come twice.
    #[must_use]
    pub fn repeats(&self) -> usize {
        self.repeats.load(Ordering::SeqCst)
    }
}
