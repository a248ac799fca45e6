//! The password policy: a minimum length, and no password of a list of common ones.
//!
//! There are no composition rules, and a password is used exactly as typed.

use crate::accounts::address::EmailAddress;

/// Minimum characters.
pub const CHARACTERS_MIN: usize = 10;
/// Maximum characters.
pub const CHARACTERS_MAX: usize = 256;

/// Common passwords, and those that someone who knows this practice would guess, in lower case.
/// Only those that are long enough to pass otherwise are listed.
static COMMON: &str = include_str!("password/common.txt");

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
    let folded = password.to_lowercase();
    if is_common(&folded) || is_about(&folded, email, about) {
        return Err(Weakness::Common);
    }
    Ok(())
}

fn is_common(folded: &str) -> bool {
    let mut characters = folded.chars();
    let first = characters.next();
    let one_repeated = characters.all(|c| Some(c) == first);
    one_repeated || COMMON.lines().any(|listed| listed == folded)
}

/// Whether it is the address, a part of it, or the person's names one after the other.
fn is_about(folded: &str, email: &EmailAddress, about: &[&str]) -> bool {
    let address = email.as_str();
    let parts = address.split_once('@').unwrap_or((address, ""));
    let names: String = about.concat().to_lowercase();
    let spaced = about.join(" ").to_lowercase();
    [address, parts.0, parts.1, &names, &spaced].contains(&folded)
}

#[cfg(test)]
mod tests {
    use super::{CHARACTERS_MIN, COMMON, Weakness, check};
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
        ] {
            assert_eq!(checked(known), Err(Weakness::Common), "{known}");
        }
    }

    #[test]
    fn the_list_has_only_what_it_can_match() {
        let mut before = "";
        for listed in COMMON.lines() {
            assert_eq!(listed, listed.to_lowercase());
            assert!(listed.chars().count() >= CHARACTERS_MIN, "{listed}");
            assert!(before < listed, "{listed} is not in order");
            before = listed;
        }
        assert!(COMMON.lines().count() > 300);
    }
}
