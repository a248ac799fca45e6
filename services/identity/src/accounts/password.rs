//! The password policy: a minimum length, no password of a list of common and breached ones, and
//! none that is made of words about the practice or the person.
//!
//! There are no composition rules, and a password is used exactly as typed; only for these
//! comparisons it is normalised.

use crate::accounts::address::EmailAddress;
use crate::accounts::blocklist;

/// Minimum characters.
pub const CHARACTERS_MIN: usize = 10;
/// Maximum characters.
pub const CHARACTERS_MAX: usize = 256;
/// Words about every practice that uses this program: its trade and its services. The callers add
/// the host of the site, which is named after the practice.
const CONTEXT: [&str; 8] = [
    "sukoon",
    "booking",
    "counselling",
    "healing",
    "therapy",
    "meditation",
    "consultation",
    "session",
];
/// Shorter names occur in other words by chance.
const WORD_CHARACTERS_MIN: usize = 4;
/// A password with fewer letters beside the words about it is easy to guess.
const OTHER_LETTERS_MIN: usize = 4;

/// Why a password is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weakness {
    /// It has too few characters.
    TooShort,
    /// It has too many characters.
    TooLong,
    /// It is common or about the person.
    Common,
}

/// Checks a new password of the account with this address. `about` is other known data of the
/// person, such as names.
///
/// # Errors
/// Why it is rejected.
pub fn check(password: &str, email: &EmailAddress, about: &[&str]) -> Result<(), Weakness> {
    let characters = password.chars().count();
    if characters < CHARACTERS_MIN {
        return Err(Weakness::TooShort);
    }
    if characters > CHARACTERS_MAX {
        return Err(Weakness::TooLong);
    }
    let folded = blocklist::fold(password);
    if is_one_repeated(&folded) || blocklist::contains(&folded) || is_about(&folded, email, about) {
        return Err(Weakness::Common);
    }
    Ok(())
}

fn is_one_repeated(folded: &str) -> bool {
    let mut characters = folded.chars();
    let first = characters.next();
    characters.all(|c| Some(c) == first)
}

/// Whether it has hardly anything but the address, the person's names, the practice's words, digits
/// and signs.
fn is_about(folded: &str, email: &EmailAddress, about: &[&str]) -> bool {
    let mut words: Vec<String> = CONTEXT.map(str::to_owned).to_vec();
    let texts = about.iter().map(|text| blocklist::fold(text));
    for text in texts.chain([email.as_str().to_owned()]) {
        let parts = text.split(|c: char| !c.is_alphabetic()).map(str::to_owned);
        words.extend(parts.filter(|word| word.chars().count() >= WORD_CHARACTERS_MIN));
    }
    // The longest first: a name may begin with another.
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let (local, _) = email.as_str().split_once('@').unwrap_or((email.as_str(), ""));
    let names: String = about.iter().map(|text| blocklist::fold(text)).collect();
    let mut rest = folded.to_owned();
    for word in
        [email.as_str(), local, names.as_str()].into_iter().chain(words.iter().map(|w| &**w))
    {
        if word.chars().count() >= WORD_CHARACTERS_MIN {
            rest = rest.replace(word, " ");
        }
    }
    let known_word = rest != folded;
    known_word && rest.chars().filter(|c| c.is_alphabetic()).count() < OTHER_LETTERS_MIN
}

#[cfg(test)]
mod tests {
    use super::{CHARACTERS_MIN, Weakness, check};
    use crate::accounts::address::EmailAddress;

    #[track_caller]
    fn checked(password: &str) -> Result<(), Weakness> {
        let email = EmailAddress::parse("asha.rao.1990@meadow-example.test").unwrap();
        check(password, &email, &["Asha", "Raonarayan"])
    }

    #[test]
    fn length_is_counted_in_characters() {
        assert_eq!(checked("eight ch."), Err(Weakness::TooShort));
        assert_eq!(checked("नमस्तेदुनिया ओ"), Ok(()));
        assert_eq!(checked(&"ab".repeat(128)), Ok(()));
        assert_eq!(checked(&format!("{}c", "ab".repeat(128))), Err(Weakness::TooLong));
    }

    #[test]
    fn whole_passwords_that_are_guessed_first_are_refused_in_any_case() {
        for common in ["Password123", "1234567890", "QWERTYUIOP", "aaaaaaaaaaaa", "Sukoon@123"] {
            assert_eq!(checked(common), Err(Weakness::Common), "{common}");
        }
        assert_eq!(checked("password123 and a horse"), Ok(()));
    }

    #[test]
    fn passwords_about_the_person_are_rejected() {
        for known in [
            "asha.rao.1990",
            "Asha.Rao.1990@meadow-example.test",
            "AshaRaonarayan",
            "asha raonarayan",
            "Raonarayan@2024",
            "sukoon-1990-asha!",
            "Sukoon Healing 2026",
            "meadow12345",
        ] {
            assert_eq!(checked(known), Err(Weakness::Common), "{known}");
        }
        for other in ["raonarayan rides a horse", "my sukoon garden", "counselling on tuesdays"] {
            assert_eq!(checked(other), Ok(()), "{other}");
        }
    }

    #[test]
    fn the_words_of_this_practice_are_in_order_and_refused() {
        let mut before = "";
        for listed in include_str!("password/common.txt").lines() {
            assert_eq!(listed, listed.to_lowercase());
            assert!(listed.chars().count() >= CHARACTERS_MIN, "{listed}");
            assert!(before < listed, "{listed} is not in order");
            assert_eq!(checked(listed), Err(Weakness::Common), "{listed}");
            before = listed;
        }
    }

    #[test]
    fn other_forms_of_a_common_password_are_refused_too() {
        assert_eq!(checked("\u{ff30}assword\u{ff11}23"), Err(Weakness::Common));
        assert_eq!(checked("P\u{ff21}SSWORD123"), Err(Weakness::Common));
    }
}
