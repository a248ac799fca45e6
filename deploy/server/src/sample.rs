//! What still stands in a practice's files as the sample has it. Such a site is that of a person
//! who does not exist.
use super::layout::Layout;
use std::fs;
use toml::{Table, Value};

const SAMPLE: &str = include_str!("../../local/practice/practice.toml");
/// The legal texts of the sample. A practice may take its words, but has to look at them.
const TEXTS: [(&str, &str); 3] = [
    ("privacy.toml", include_str!("../../local/practice/privacy.toml")),
    ("terms.toml", include_str!("../../local/practice/terms.toml")),
    ("refunds.toml", include_str!("../../local/practice/refunds.toml")),
];
/// What only one practice can have.
const OWN: [&str; 6] = ["name", "practitioner_name", "phone", "email", "notices_email", "address"];

/// What stands there, each in a few words; empty for a practice of its own.
pub(crate) fn left(layout: &Layout) -> Vec<String> {
    let folder = layout.practice();
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let mut left = left_of_practice(&read("practice.toml"));
    let texts = TEXTS.iter().filter(|(name, sample)| read(name) == *sample);
    left.extend(texts.map(|(name, _)| format!("{name} as a whole")));
    left
}

/// The addresses among it at which nothing arrives.
pub(crate) fn addresses(left: &[String]) -> Vec<&String> {
    left.iter().filter(|it| it.ends_with(".example")).collect()
}

fn left_of_practice(text: &str) -> Vec<String> {
    let values = |text: &str| -> Option<Table> {
        text.parse::<Table>().ok()?.remove("practice")?.as_table().cloned()
    };
    let (own, sample) = (values(text).unwrap_or_default(), values(SAMPLE).unwrap_or_default());
    let is_left = |name: &&&str| {
        let value = own.get(**name).and_then(Value::as_str);
        let is_no_address = value.is_some_and(|value| value.ends_with(".example"));
        is_no_address || value.is_some() && own.get(**name) == sample.get(**name)
    };
    let told = |name: &&str| {
        let value = own.get(*name).and_then(Value::as_str).unwrap_or_default();
        format!("{name} = {value}")
    };
    OWN.iter().filter(is_left).map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_found_word_by_word_and_a_practice_of_its_own_is_not() {
        let left = left_of_practice(SAMPLE);
        assert_eq!(left.len(), OWN.len(), "{left:?}");
        assert_eq!(addresses(&left).len(), 2, "{left:?}");
        let own = "[practice]\nname = \"Asha\"\nphone = \"+919812345678\"\n";
        assert_eq!(left_of_practice(own), Vec::<String>::new());
        let half = "[practice]\nname = \"Asha\"\nemail = \"asha@practice.example\"\n";
        assert_eq!(left_of_practice(half), ["email = asha@practice.example"]);
    }
}
