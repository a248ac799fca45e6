//! Every field of the form, with accepted and rejected input.

use contract::reviews::v1::SubmitReviewRequest;
use kernel::CommandError;
use proptest::prelude::*;

use super::ReviewRequest;
use crate::error::Rejection;

fn choices() -> Vec<String> {
    vec!["Energy Healing".to_owned(), "Spiritual Healing".to_owned()]
}

fn asked() -> SubmitReviewRequest {
    SubmitReviewRequest {
        name: "Asha Rao".to_owned(),
        email: "asha@customers.example".to_owned(),
        service: "Energy Healing".to_owned(),
        rating: 5,
        text: "I felt lighter afterwards.".to_owned(),
        idempotency_key: "0123456789abcdef".to_owned(),
        ..SubmitReviewRequest::default()
    }
}

fn parse(change: impl FnOnce(&mut SubmitReviewRequest)) -> Result<ReviewRequest, Rejection> {
    let mut request = asked();
    change(&mut request);
    ReviewRequest::parse(request, &choices()).map_err(|error| match error {
        CommandError::Rejected(rejection) => rejection,
        other => panic!("{other:?}"),
    })
}

fn with_name(name: &str) -> Result<String, Rejection> {
    parse(|it| it.name = name.to_owned()).map(|request| request.content.name)
}

fn with_email(email: &str) -> Result<String, Rejection> {
    parse(|it| it.email = email.to_owned()).map(|request| request.content.email)
}

fn with_text(text: &str) -> Result<String, Rejection> {
    parse(|it| it.text = text.to_owned()).map(|request| request.content.text)
}

#[test]
fn a_name_is_kept_as_typed() {
    for name in ["Asha", "आशा राव", "O’Brien-Müller", "Asha 🙂"] {
        assert_eq!(with_name(&format!("  {name}\n")).unwrap(), name);
    }
    let longest = "ज".repeat(80);
    assert_eq!(with_name(&longest).unwrap(), longest);
    assert_eq!(with_name(&"ज".repeat(81)), Err(Rejection::NameTooLong));
    for blank in ["", " ", "\t\n", "\u{200b}\u{feff}", "\u{a0}"] {
        assert_eq!(with_name(blank), Err(Rejection::NameRequired), "{blank:?}");
    }
    for blank in [
        "\u{3164}",
        "\u{115f}\u{1160}",
        "\u{ffa0} \u{2800}",
        "\u{180e}",
        "\u{e0000}\u{e007f}",
        "\u{2060}\u{2064}\u{200d}\u{fe0f}",
    ] {
        assert_eq!(with_name(blank), Err(Rejection::NameRequired), "{blank:?}");
        assert_eq!(with_text(blank), Err(Rejection::ReviewRequired), "{blank:?}");
    }
    // What messengers and office programs put around pasted text is dropped.
    for turning in ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}') {
        let typed = format!("As{turning}ha");
        assert_eq!(with_name(&typed).unwrap(), "Asha", "{typed:?}");
        assert_eq!(with_text(&typed).unwrap(), "Asha", "{typed:?}");
    }
    // Joiners within letters are kept.
    for joined in ["क्\u{200d}ष", "Asha 👩\u{200d}🦰", "שלום"] {
        assert_eq!(with_name(joined).unwrap(), joined);
    }
    assert_eq!(with_name("As\nha\u{85}Rao").unwrap(), "As ha Rao");
    for broken in ["As\0ha", "As\u{7}ha"] {
        assert_eq!(with_name(broken), Err(Rejection::InvalidName), "{broken:?}");
    }
    for letterless in ["🙂", "12", "..."] {
        assert_eq!(with_name(letterless), Err(Rejection::NameWithoutLetter), "{letterless:?}");
    }
}

#[test]
fn an_address_has_the_shape_of_one() {
    for email in ["a@b.c", "asha@customers.example", "a+b@c.d"] {
        assert_eq!(with_email(&format!(" {email} ")).unwrap(), email);
    }
    let international = with_email("asha@उदाहरण.भारत").unwrap();
    assert_eq!(international, "asha@xn--p1b6ci4b4b3a.xn--h2brj9c");
    let sly = [
        "a@b.c?cc=x",
        "a@b.c?cc=x&body=y",
        "a@b.c%0aBcc:x",
        "a@b.c,c@d.e",
        "a@b.c;c",
        "<a@b.c>",
        "a@b.c@c.d",
    ];
    let malformed = ["asha", "@", "@b.c", "a@", "a@b", "a b@c.d", "a@b c.d", "a@b.c\0", "आशा@b.c"];
    for wrong in malformed.into_iter().chain(sly) {
        assert_eq!(with_email(wrong), Err(Rejection::InvalidEmail), "{wrong:?}");
    }
    let longest = format!("{}@b.c", "a".repeat(64));
    assert_eq!(with_email(&longest).unwrap(), longest);
    assert_eq!(with_email(&format!("a{longest}")), Err(Rejection::InvalidEmail));
    assert_eq!(with_email("  "), Err(Rejection::EmailRequired));
}

#[test]
fn it_is_about_one_of_the_practices_choices() {
    let about = |service: &str| parse(|it| it.service = service.to_owned()).map(|it| it.service);
    assert_eq!(about("Spiritual Healing").unwrap(), "Spiritual Healing");
    assert_eq!(about(""), Err(Rejection::ServiceRequired));
    for unknown in ["energy healing", "Energy Healing ", "Massage"] {
        assert_eq!(about(unknown), Err(Rejection::UnknownService), "{unknown}");
    }
}

#[test]
fn stars_and_words_are_needed() {
    for stars in [-1, 0, 6] {
        assert_eq!(parse(|it| it.rating = stars).unwrap_err(), Rejection::RatingRequired);
    }
    assert_eq!(with_text("\n One\r\ntwo\rthree\tfour \n").unwrap(), "One\ntwo\nthree four");
    let longest = "🙂".repeat(4000);
    assert_eq!(with_text(&longest).unwrap(), longest);
    assert_eq!(with_text(&"🙂".repeat(4001)), Err(Rejection::ReviewTooLong));
    assert_eq!(with_text(" \u{200b} "), Err(Rejection::ReviewRequired));
    assert_eq!(with_text("a\u{1b}[31mb").unwrap(), "a[31mb");
    assert_eq!(with_text("First\u{b}second").unwrap(), "First\nsecond");
}

#[test]
fn the_first_invalid_field_is_reported() {
    let faults = parse(|it| {
        *it = SubmitReviewRequest {
            idempotency_key: it.idempotency_key.clone(),
            ..SubmitReviewRequest::default()
        };
    });
    assert_eq!(faults.unwrap_err(), Rejection::NameRequired);
}

#[test]
fn a_key_is_too_long_to_be_guessed() {
    for key in ["", "0123456789abcde", "with a space in it", "schlüssel-mit-umlaut"] {
        let refused = parse(|it| it.idempotency_key = key.to_owned()).unwrap_err();
        assert_eq!(refused, Rejection::InvalidIdempotencyKey, "{key}");
    }
    assert!(parse(|it| it.idempotency_key = "k".repeat(64)).is_ok());
    assert!(parse(|it| it.idempotency_key = "k".repeat(65)).is_err());
}

#[test]
fn the_key_is_not_part_of_the_content_hash() {
    let first = parse(|_| {}).unwrap().hash;
    assert_eq!(parse(|it| it.idempotency_key = "k".repeat(16)).unwrap().hash, first);
    assert_ne!(parse(|it| it.rating = 4).unwrap().hash, first);
}

#[test]
fn declining_the_badge_uses_no_invitation() {
    let invited = |without: bool| {
        parse(|it| {
            it.invitation = "secret".to_owned();
            it.without_badge = without;
        })
        .unwrap()
    };
    assert_eq!(invited(false).invitation.as_deref(), Some("secret"));
    assert_eq!((invited(true).invitation, invited(true).badge), (None, false));
    assert_eq!(parse(|it| it.image_id = "1".to_owned()).unwrap_err(), Rejection::ImageNotFound);
}

#[test]
fn debug_output_has_no_personal_data() {
    let told = format!("{:?}", parse(|_| {}).unwrap());
    assert!(!told.contains("Asha") && !told.contains("customers.example"), "{told}");
}

proptest! {
    #[test]
    fn any_input_is_normalized_or_rejected(text in any::<String>()) {
        if let Ok(kept) = with_text(&text) {
            prop_assert!(!kept.trim().is_empty() && kept.chars().count() <= 4000);
            prop_assert!(kept.chars().all(|c| c == '\n' || !c.is_control()));
        }
        if let Ok(kept) = with_name(&text) {
            prop_assert!(!kept.trim().is_empty() && !kept.chars().any(char::is_control));
        }
        if let Ok(kept) = with_email(&text) {
            prop_assert!(kept.contains('@') && !kept.contains(char::is_whitespace));
        }
    }
}
