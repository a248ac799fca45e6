//! The dates of a package.

/// Three free starts on different dates: this one, and the next ones at its hour as far as they are
/// free.
pub(crate) fn weekly(free: &[String], first: usize) -> Vec<String> {
    let date = |start: &String| start.get(..10).map(str::to_owned);
    let hour = |start: &String| start.get(11..).map(str::to_owned);
    let ring = free.iter().cycle().skip(first).take(free.len());
    let mut chosen: Vec<String> = Vec::new();
    for start in ring {
        let is_new = chosen.iter().all(|other| date(other) != date(start));
        let fits = chosen.first().is_none_or(|other| hour(other) == hour(start));
        if is_new && fits && chosen.len() < 3 {
            chosen.push(start.clone());
        }
    }
    chosen
}
