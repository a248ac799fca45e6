//! Which contact data is accepted.

use kernel::typed::TextProblem;

use super::{Contact, ContactError, ContactInput};

const GOOD: ContactInput<'_> = ContactInput {
    first_name: "Asha",
    last_name: "Rao",
    email: "asha@example.org",
    phone: "",
    notes: "",
};

#[track_caller]
fn check(typed: ContactInput<'_>, wrong: ContactError) {
    assert_eq!(Contact::parse(&typed), Err(wrong));
}

#[test]
fn typed_contact_data_is_normalized() {
    let contact = Contact::parse(&ContactInput {
        first_name: "  Asha ",
        last_name: "Rao-Iyer",
        email: " asha@example.org ",
        phone: "98930 12345",
        notes: " I come by bus.\r\nIs that fine?\u{7} ",
    })
    .unwrap();
    assert_eq!(contact.first_name(), "Asha");
    assert_eq!(contact.last_name(), "Rao-Iyer");
    assert_eq!(contact.email(), "asha@example.org");
    assert_eq!(contact.phone(), "+919893012345");
    assert_eq!(contact.notes(), "I come by bus.\nIs that fine?");
}

#[test]
fn names_are_needed_and_stay_on_one_line() {
    let longest = "न".repeat(80);
    assert!(Contact::parse(&ContactInput { first_name: &longest, ..GOOD }).is_ok());
    let longer = "न".repeat(81);
    for (typed, wrong) in [
        (" ", TextProblem::Missing),
        ("", TextProblem::Missing),
        // These cannot be seen.
        ("\u{200b}", TextProblem::Missing),
        ("\u{2060}", TextProblem::Missing),
        ("\u{feff}", TextProblem::Missing),
        ("\u{3164}", TextProblem::Missing),
        ("\u{ad}", TextProblem::Missing),
        ("\u{202e}", TextProblem::Missing),
        ("123", TextProblem::Letterless),
        ("As\u{7}ha", TextProblem::Control),
        (&longer, TextProblem::TooLong),
    ] {
        check(ContactInput { first_name: typed, ..GOOD }, ContactError::FirstName(wrong));
        check(ContactInput { last_name: typed, ..GOOD }, ContactError::LastName(wrong));
    }
    let injected = ContactInput { last_name: "Rao\r\nBcc: x@example.org\u{2028}", ..GOOD };
    assert_eq!(Contact::parse(&injected).unwrap().last_name(), "Rao Bcc: x@example.org");
    let pasted = ContactInput { first_name: "\u{2068}Asha\u{2069}\u{200b}", ..GOOD };
    assert_eq!(Contact::parse(&pasted).unwrap().first_name(), "Asha");
}

#[test]
fn a_mail_address_has_a_valid_form() {
    check(ContactInput { email: "", ..GOOD }, ContactError::EmailMissing);
    for good in ["a@b.in", "asha.rao+x@mail.example.co.in", "o'neil@example.org"] {
        assert!(Contact::parse(&ContactInput { email: good, ..GOOD }).is_ok(), "{good}");
    }
    let long = format!("a@{}.example.org", "b.".repeat(130));
    for wrong in [
        "asha",
        "asha@",
        "@example.org",
        "asha@example",
        "a sha@example.org",
        "asha@exa mple.org",
        "asha@@example.org",
        "asha@example..org",
        ".asha@example.org",
        "asha@-example.org",
        "asha@example.org\r\nBcc: x@example.org",
        "<asha@example.org>",
        &long,
    ] {
        check(ContactInput { email: wrong, ..GOOD }, ContactError::EmailInvalid);
    }
}

#[test]
fn a_phone_number_is_of_india_unless_it_says_otherwise() {
    for (typed, kept) in [
        ("", ""),
        ("+91 98930 12345", "+919893012345"),
        ("09893012345", "+919893012345"),
        ("+44 20 7946 0018", "+442079460018"),
        ("९८९३०१२३४५", "+919893012345"),
        ("\u{202a}+91\u{2011}98930\u{2013}12345\u{202c}", "+919893012345"),
        ("tel:+91-98930-12345", "+919893012345"),
    ] {
        let contact = Contact::parse(&ContactInput { phone: typed, ..GOOD }).unwrap();
        assert_eq!(contact.phone(), kept, "{typed}");
    }
    for wrong in ["12", "phone", "+91 98930", &"9".repeat(50)] {
        check(ContactInput { phone: wrong, ..GOOD }, ContactError::PhoneInvalid);
    }
}

#[test]
fn notes_have_a_maximum_length() {
    let longest = "x".repeat(2000);
    assert!(Contact::parse(&ContactInput { notes: &longest, ..GOOD }).is_ok());
    let longer = "x".repeat(2001);
    check(ContactInput { notes: &longer, ..GOOD }, ContactError::NotesTooLong);
}

#[test]
fn contact_data_is_not_logged() {
    let contact = Contact::parse(&GOOD).unwrap();
    assert_eq!(format!("{contact:?}"), "Contact");
}
