//! How many files name one thing: one mail, one call, one field and so on. Each stands for all of
//! its kind, so the counts say what the next one of that kind will cost. They only fall: a test
//! holds each count to its number, above it and below it.
//!
//! Counted are the files that persons wrote (`parts`), those of tests apart. Prose isn't: it may
//! explain a thing where it likes. Migrations are not, because a merged one never changes; and
//! tidy is not, because it has to name what it counts.
use crate::parts::{self, Part};
use crate::tree::SourceFile;

/// What is never counted, besides prose and what programs write.
const NOT_COUNTED: [&str; 2] = ["migrations/", "tests/tidy/"];

/// A thing, and in how many files it is named.
#[derive(Clone, Copy, Debug)]
pub struct Thing {
    /// What it stands for.
    pub kind: &'static str,
    /// Its words in snake_case.
    pub words: &'static [&'static str],
    /// How it is found.
    pub found: Found,
    /// Folders and files that are its own, or in which the word means something else.
    pub apart: &'static [&'static str],
    /// How many files of source name it, and how many of tests.
    pub files: (usize, usize),
    /// How many files of source are to name it in the end.
    pub goal: usize,
}

/// How a thing is found in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A word stands anywhere, also within a longer one: as `snake_case`, `SNAKE_CASE`,
    /// `kebab-case`, `camelCase` or `PascalCase`.
    Anywhere,
    /// A word that is common elsewhere stands where a field does, outside of comments: `.notes`,
    /// `notes:`, `"notes"` or `string notes`.
    AsField,
}

/// What is counted.
pub const THINGS: [Thing; 6] = [
    Thing {
        kind: "a mail",
        words: &["staff_invitation"],
        found: Found::Anywhere,
        // The invitation itself, which booking keeps; what remains of booking is the event that
        // asks for the mail, and the call that answers what is in it.
        apart: &[
            "services/booking/src/app/invitation_keys.rs",
            "services/booking/src/contract.rs",
            "services/booking/src/domain/",
            "services/booking/src/grpc/organisation.rs",
            "services/booking/src/read_model/",
            "services/booking/src/repository/",
            "services/shared/kernel/src/id.rs",
            "deploy/server/src/rights/",
            "docs/stored.csv",
        ],
        files: (8, 9),
        goal: 4,
    },
    Thing {
        kind: "a call",
        words: &["verify_consent_file"],
        found: Found::Anywhere,
        apart: &[],
        files: (3, 2),
        goal: 3,
    },
    Thing {
        kind: "a field that a client types",
        words: &["notes"],
        found: Found::AsField,
        // Notes of a payment provider, of a proof, of a price, and a file's name.
        apart: &[
            "deploy/sandbox/",
            "services/payments/",
            "services/shared/practice/",
            "tests/system/src/failover/",
            "web/src/features/booking/shared/money-notes.ts",
        ],
        files: (21, 17),
        goal: 9,
    },
    Thing {
        kind: "a rejection",
        words: &["held_too_often"],
        found: Found::Anywhere,
        apart: &[],
        files: (4, 2),
        goal: 3,
    },
    Thing {
        kind: "a payment provider",
        words: &["razorpay"],
        found: Found::Anywhere,
        // Its own folder, what plays it, and a practice's own text.
        apart: &[
            "services/payments/src/providers/razorpay",
            "deploy/sandbox/",
            "deploy/kubernetes/components/sandbox/",
            "deploy/local/practice/",
        ],
        files: (6, 42),
        goal: 3,
    },
    Thing {
        kind: "a policy",
        words: &["cancellation_hours", "notice_hours"],
        found: Found::Anywhere,
        // The practice's own settings and texts, which print it.
        apart: &["deploy/local/practice/"],
        files: (44, 24),
        goal: 2,
    },
];

/// The files that name a thing: those of source, and those of tests.
#[must_use]
pub fn named_in<'a>(thing: &Thing, files: &'a [SourceFile]) -> (Vec<&'a str>, Vec<&'a str>) {
    let spellings: Vec<String> = thing.words.iter().flat_map(|word| spellings(word)).collect();
    let is_named_in = |text: &str| match thing.found {
        Found::Anywhere => spellings.iter().any(|spelling| text.contains(spelling)),
        Found::AsField => thing.words.iter().any(|word| has_field(text, word)),
    };
    let counts = |file: &&SourceFile| {
        let is_apart = NOT_COUNTED.iter().chain(thing.apart).any(|it| file.path.starts_with(it));
        !is_apart && is_named_in(&file.text)
    };
    let of = |part: Part| {
        let meant = files.iter().filter(|file| parts::of(file) == Some(part)).filter(counts);
        meant.map(|file| file.path.as_str()).collect()
    };
    (of(Part::Source), of(Part::Tests))
}

fn has_field(text: &str, word: &str) -> bool {
    text.lines().any(|line| is_field_of(line, word))
}

fn is_field_of(line: &str, word: &str) -> bool {
    let code = line.split_once("//").map_or(line, |(code, _comment)| code);
    code.match_indices(word).any(|(at, _)| {
        let (before, after) = (code.get(..at).unwrap_or_default(), code.get(at..));
        let after = after.and_then(|it| it.get(word.len()..)).unwrap_or_default();
        let of_a_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '#');
        if after.starts_with(of_a_word) || before.ends_with(of_a_word) {
            return false;
        }
        let is_read = before.strip_suffix('.').is_some_and(|owner| {
            owner.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '?' | ')'))
        });
        let is_quoted = ["\"", "'"].iter().any(|it| before.ends_with(it) && after.starts_with(it));
        let is_given = after.starts_with(':') || after.starts_with("?:");
        is_read
            || is_quoted
            || (is_given && !after.starts_with("::"))
            || before.ends_with("string ")
    })
}

/// Each way in which a name of `snake_case` is written.
fn spellings(snake: &str) -> Vec<String> {
    let pascal: String = snake.split('_').map(capital).collect();
    let camel = snake.split_once('_').map_or(snake.to_owned(), |(first, rest)| {
        let rest: String = rest.split('_').map(capital).collect();
        format!("{first}{rest}")
    });
    let (kebab, screaming) = (snake.replace('_', "-"), snake.to_uppercase());
    let mut all = vec![snake.to_owned(), kebab, camel, pascal, screaming];
    all.dedup();
    all
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Counts that are above or below their number.
#[must_use]
pub fn differences(things: &[Thing], files: &[SourceFile]) -> Vec<String> {
    let mut faults = Vec::new();
    for thing in things {
        let (source, tests) = named_in(thing, files);
        let of = format!("{} (`{}`)", thing.kind, thing.words.join("`, `"));
        let goal = thing.goal;
        for (part, named, most) in
            [("source", source, thing.files.0), ("tests", tests, thing.files.1)]
        {
            let now = named.len();
            if now > most {
                let list = named.join("\n  ");
                faults.push(format!(
                    "{of} is named in {now} files of {part}, and may be in {most} \
                     (the goal is {goal} of source):\n  {list}"
                ));
            } else if now < most {
                faults.push(format!("{of}: lower the number of files of {part} to {now}"));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thing(words: &'static [&'static str], found: Found, files: (usize, usize)) -> Thing {
        Thing { kind: "a mail", words, found, apart: &["own/"], files, goal: 1 }
    }

    #[test]
    fn a_name_is_found_however_it_is_written() {
        let wanted = ["day_sheet", "day-sheet", "daySheet", "DaySheet", "DAY_SHEET"];
        assert_eq!(spellings("day_sheet"), wanted);
        assert_eq!(spellings("notes"), ["notes", "Notes", "NOTES"]);
    }

    #[test]
    fn a_field_is_told_from_the_word() {
        for field in
            ["a.notes,", "  notes: '',", "\"notes\"", "string notes = 5;", "b?.notes ?? ''"]
        {
            assert!(is_field_of(field, "notes"), "{field}");
        }
        for word in [
            "// a.notes",
            "let notes = 1;",
            "this.#notes",
            "'../money-notes'",
            "id=\"notes-title\"",
        ] {
            assert!(!is_field_of(word, "notes"), "{word}");
        }
    }

    #[test]
    fn a_count_above_and_one_below_its_number_are_found() {
        let files = [
            SourceFile::sample("services/a/src/kind.rs", "DaySheet = \"day_sheet\""),
            SourceFile::sample("services/a/tests/it/mails.rs", "send(DaySheet)"),
            SourceFile::sample("web/src/gen/a_pb.ts", "DAY_SHEET"),
            SourceFile::sample("migrations/a/1_create_mails.sql", "'day_sheet'"),
            SourceFile::sample("docs/MAILS.md", "`day_sheet`"),
            SourceFile::sample("own/day_sheet.rs", "day_sheet"),
        ];
        let faults = |most| differences(&[thing(&["day_sheet"], Found::Anywhere, most)], &files);
        assert_eq!(faults((1, 1)), Vec::<String>::new());
        assert!(faults((0, 1)).concat().contains("services/a/src/kind.rs"));
        assert!(faults((1, 2)).concat().ends_with("files of tests to 1"));
    }
}
