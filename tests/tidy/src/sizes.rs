//! The bounds of `tests/tidy/sizes.toml`: how many lines each part may have. They only fall.
use crate::code_lines::Lines;

/// The file with the bounds, and the sums of the commit from which on they fall.
pub const FILE: &str = "tests/tidy/sizes.toml";
/// How far below its bound a sum is before the bound should follow.
const SLACK_LINES: usize = 500;

/// What a comparison with the bounds found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Sums above their bounds.
    pub above: Vec<String>,
    /// Bounds that can be lowered.
    pub lowerable: Vec<String>,
}

/// Compares the sums with the bounds.
///
/// # Errors
/// When the file has not exactly the three parts, each with `first`, `goal` and `most`.
pub fn compare(text: &str, lines: Lines) -> Result<Comparison, String> {
    let table: toml::Table = text.parse().map_err(|error| format!("{FILE}: {error}"))?;
    let mut found = Comparison::default();
    let Lines { source, tests, markdown } = lines;
    for (part, now) in [("source", source), ("tests", tests), ("markdown", markdown)] {
        let number = |key: &str| {
            let value = table.get(part).and_then(|part| part.get(key)?.as_integer());
            let value = value.and_then(|it| usize::try_from(it).ok());
            value.ok_or_else(|| format!("{FILE}: {part} has no number `{key}`"))
        };
        let (first, goal, most) = (number("first")?, number("goal")?, number("most")?);
        let since = format!("it was {first} at first, and is to be {goal}");
        if now > most {
            found.above.push(format!("{part} has {now} lines, and may have {most} ({since})"));
        } else if now.saturating_add(SLACK_LINES) <= most {
            found.lowerable.push(format!("{part} has {now} lines: lower {most} to it ({since})"));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: &str = "[source]\nfirst = 9000\ngoal = 8000\nmost = 9000\n\
                          [tests]\nfirst = 10\ngoal = 5\nmost = 10\n\
                          [markdown]\nfirst = 3\ngoal = 2\nmost = 3\n";

    fn compared(source: usize, tests: usize) -> Comparison {
        compare(BOUNDS, Lines { source, tests, markdown: 3 }).unwrap()
    }

    #[test]
    fn a_sum_above_its_bound_is_found() {
        assert_eq!(compared(9000, 10), Comparison::default());
        assert!(compared(9001, 10).above.concat().starts_with("source has 9001 lines"));
        assert_eq!(compared(8600, 11).above.len(), 1);
    }

    #[test]
    fn a_bound_that_can_be_lowered_is_told() {
        assert_eq!(compared(8501, 1), Comparison::default());
        assert!(compared(8500, 1).lowerable.concat().contains("lower 9000 to it"));
        assert!(compare("[source]\nfirst = 1\n", Lines::default()).is_err());
    }
}
