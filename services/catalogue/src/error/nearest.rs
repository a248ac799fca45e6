//! Which of several known words was probably meant.

/// The known word that differs least, if it differs little.
pub(crate) fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<String> {
    let most = word.chars().count().div_ceil(3);
    let near = known.into_iter().map(|one| (distance(word, one), one));
    let best = near.min_by_key(|(distance, _)| *distance)?;
    (best.0 <= most).then(|| best.1.to_owned())
}

/// How many letters have to be put in, left out or exchanged to make one word of the other.
fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.to_lowercase().chars().collect();
    let other: Vec<char> = other.to_lowercase().chars().collect();
    let mut before: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut row = vec![at.saturating_add(1)];
        for ((diagonal, above), same) in
            before.iter().zip(before.iter().skip(1)).zip(other.iter().map(|it| it == letter))
        {
            let left = row.last().copied().unwrap_or_default();
            let exchanged = diagonal.saturating_add(usize::from(!same));
            row.push(exchanged.min(left.saturating_add(1)).min(above.saturating_add(1)));
        }
        before = row;
    }
    before.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_of_a_letter_or_two_is_understood_and_another_word_is_not() {
        let known = ["title", "description", "duration_minutes"];
        assert_eq!(nearest("titel", known).as_deref(), Some("title"));
        assert_eq!(nearest("Duration_minute", known).as_deref(), Some("duration_minutes"));
        assert_eq!(nearest("desription", known).as_deref(), Some("description"));
        assert_eq!(nearest("price", known), None);
        assert_eq!(nearest("x", []), None);
    }
}
