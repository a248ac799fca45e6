//! What a client chose about the mails of its bookings.

/// How many hours before a session a reminder can be mailed, the most first.
pub const REMINDER_HOURS: [i32; 6] = [48, 24, 12, 4, 2, 1];
/// The most reminders of a session.
const REMINDERS_MAX: usize = 2;

/// What a client chose about mails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailPreferences {
    /// How many hours before a session reminders are mailed, the most first; none for no reminder.
    reminder_hours: Vec<i32>,
    /// Whether thanks are mailed after a session.
    pub thanks: bool,
}

impl MailPreferences {
    /// A choice; `None` for other hours than [`REMINDER_HOURS`], one that comes twice, or more than
    /// two. They are put in order.
    #[must_use]
    pub fn new(mut reminder_hours: Vec<i32>, thanks: bool) -> Option<Self> {
        reminder_hours.sort_unstable_by_key(|hours| std::cmp::Reverse(*hours));
        let is_known = reminder_hours.iter().all(|hours| REMINDER_HOURS.contains(hours));
        let is_once = reminder_hours.windows(2).all(|pair| pair.first() != pair.last());
        let is_valid = is_known && is_once && reminder_hours.len() <= REMINDERS_MAX;
        is_valid.then_some(Self { reminder_hours, thanks })
    }

    /// How many hours before a session reminders are mailed, the most first.
    #[must_use]
    pub fn reminder_hours(&self) -> &[i32] {
        &self.reminder_hours
    }
}

#[cfg(test)]
mod tests {
    use super::MailPreferences;

    #[test]
    fn hours_are_put_in_order_and_other_ones_are_refused() {
        let hours = |hours: &[i32]| {
            MailPreferences::new(hours.to_vec(), true).map(|it| it.reminder_hours().to_vec())
        };
        assert_eq!(hours(&[2, 24]), Some(vec![24, 2]));
        assert_eq!(hours(&[]), Some(Vec::new()));
        assert_eq!(hours(&[1]), Some(vec![1]));
        for wrong in [&[3][..], &[0], &[-1], &[24, 24], &[24, 12, 2], &[i32::MAX]] {
            assert_eq!(hours(wrong), None, "{wrong:?}");
        }
    }
}
