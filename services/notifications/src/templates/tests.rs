//! Every mail in every variant: it loads no external resource, typed text becomes neither mark-up
//! nor subject, and both formats have the same content.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{LANGUAGES, RenderedMail, Templates};
use crate::mails::facts::Facts;
use crate::mails::kind::Kind;
use crate::templates::render::samples::{
    self, CODE, INVITATION, JOIN_KEY, ROOM_URL, Sample, Typed, UNSUBSCRIBE_URL,
};
use crate::templates::template_context::TemplateContext;

mod words;

const HOSTILE: &str =
    "Asha <b>\"O'Neil\"</b> </mj-text><script>alert(1)</script> {{ 1111 * 9 }}\r\nBcc: x";

/// Texts that try to be mark-up, templates and headers.
fn hostile() -> Typed {
    Typed {
        first_name: HOSTILE.to_owned(),
        last_name: HOSTILE.to_owned(),
        phone: "\"><script>alert(2)</script>".to_owned(),
        notes: format!("{HOSTILE}\n<img src=\"https://track.example/x.png\">\u{1}\u{202e}"),
        service_title: "Grief & <i>Trauma</i> Counselling".to_owned(),
        name: HOSTILE.to_owned(),
        text: format!("{HOSTILE}\n\n<img src=\"https://track.example/x.png\">\u{1d}\u{1e}\u{1f}"),
    }
}

fn context() -> TemplateContext {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice");
    TemplateContext::load(&folder, "http://127.0.0.1:8080").unwrap()
}

fn write(kind: Kind, facts: &Facts, payload: &Value) -> RenderedMail {
    let sample = Sample { kind, form: "test", facts: facts.clone(), payload: payload.clone() };
    page(&context(), &Templates::new().unwrap(), &sample)
}

fn page(context: &TemplateContext, templates: &Templates, sample: &Sample) -> RenderedMail {
    let variables = context.variables(&sample.facts, &sample.render_input());
    templates.render(sample.kind, &variables.unwrap()).unwrap()
}

/// Every mail in every variant.
fn all(typed: &Typed) -> Vec<(Sample, RenderedMail)> {
    let (context, templates) = (context(), Templates::new().unwrap());
    let samples = samples::all(typed).into_iter();
    samples.map(|sample| (sample.clone(), page(&context, &templates, &sample))).collect()
}

/// The facts and the event of a sample.
fn sample(kind: Kind, form: &str) -> (Facts, Value) {
    let found = found(kind, form);
    (found.facts, found.payload)
}

fn found(kind: Kind, form: &str) -> Sample {
    let found = samples::all(&hostile()).into_iter().find(|it| it.kind == kind && it.form == form);
    found.unwrap_or_else(|| panic!("there is no {kind} in the form {form}"))
}

/// A sample as it is shown.
fn shown(kind: Kind, form: &str) -> RenderedMail {
    page(&context(), &Templates::new().unwrap(), &found(kind, form))
}

/// What a mail program shows beside the subject.
fn preview(page: &RenderedMail) -> String {
    let (_, rest) = page.html.split_once("<div style=\"display:none").unwrap();
    let (preview, _) = rest.split_once("</div>").unwrap();
    words::decoded(preview.split_once('>').unwrap().1).trim().to_owned()
}

#[test]
fn every_mail_has_its_words_in_every_language() {
    for language in LANGUAGES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates").join(language.code);
        let mut there: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let mut wanted: Vec<String> = Kind::ALL.iter().map(|kind| format!("{kind}.mail")).collect();
        wanted.push("shared.mail".to_owned());
        there.sort();
        wanted.sort();
        assert_eq!(there, wanted, "{}", language.code);
        Templates::in_language(language.code).unwrap();
    }
    assert!(Templates::in_language("xx").is_err());
}

#[test]
fn every_kind_has_a_sample_and_every_sample_a_name_of_its_own() {
    let samples = samples::all(&Typed::usual());
    let mut names: Vec<String> = samples.iter().map(Sample::name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), samples.len());
    assert!(Kind::ALL.iter().all(|kind| samples.iter().any(|sample| sample.kind == *kind)));
}

#[test]
fn typed_text_never_becomes_markup() {
    for (sample, page) in all(&hostile()) {
        let html = page.html.to_lowercase();
        for mark in ["<script", "<b>\"", "<b>&quot;", "<img", "<i>trauma", "</mj-", "<mj-"] {
            assert!(!html.contains(mark), "{} holds {mark}", sample.name());
        }
        assert!(!html.contains("9999"), "{} evaluates what a person typed", sample.name());
        let control = |c: char| c.is_control() && c != '\n';
        assert!(!page.text.contains(control), "{}: {:?}", sample.name(), page.text);
        assert!(!page.text.contains('\u{202e}'), "{}", sample.name());
    }
}

#[test]
fn what_people_wrote_reads_in_its_own_direction() {
    let typed = Typed { text: "مرحبا، شكرا جزيلا".to_owned(), ..Typed::usual() };
    let (context, templates) = (context(), Templates::new().unwrap());
    for kind in [Kind::ContactMessage, Kind::ReviewNotice] {
        let written = samples::all(&typed).into_iter().filter(|sample| sample.kind == kind);
        let pages: Vec<_> =
            written.map(|sample| page(&context, &templates, &sample).html).collect();
        let pages: Vec<_> =
            pages.iter().filter_map(|html| html.rsplit_once(typed.text.as_str())).collect();
        assert!(!pages.is_empty(), "{kind}");
        for (before, _) in pages {
            let tag = before.rsplit_once('<').unwrap().1;
            assert!(tag.contains("dir=\"auto\""), "{kind}: <{tag}");
        }
    }
}

#[test]
fn typed_text_can_be_read() {
    for (kind, form) in [
        (Kind::PracticeNotice, "online"),
        (Kind::ContactMessage, "usual"),
        (Kind::ReviewNotice, "verified"),
        (Kind::DaySheet, "one"),
    ] {
        let (facts, payload) = sample(kind, form);
        let page = write(kind, &facts, &payload);
        assert!(page.html.contains("&lt;b&gt;"), "{}", page.html);
        assert!(page.text.contains("Asha <b>\"O'Neil\"</b>"), "{}", page.text);
    }
}

#[test]
fn a_person_is_greeted_by_name_or_with_a_whole_sentence() {
    let first_sentence = |page: &RenderedMail| {
        let body = page.text.split("\n\n").nth(1).unwrap_or_default().to_owned();
        (body.starts_with("Dear Asha, "), body)
    };
    let bait = Typed { first_name: "claim at https://bait.example".to_owned(), ..Typed::usual() };
    let named = |sample: &Sample| match &sample.facts {
        Facts::Code(code) => !code.first_name.is_empty(),
        Facts::Notice(notice) => !notice.first_name.is_empty(),
        Facts::Own(_) => sample.kind == Kind::WaitingOffer,
        facts => matches!(facts, Facts::Booking(_)),
    };
    for ((sample, usual), (_, nameless)) in all(&Typed::usual()).into_iter().zip(all(&bait)) {
        // A receipt has no greeting.
        if sample.kind.is_for_the_practice() || sample.kind == Kind::Receipt {
            continue;
        }
        let (name, (greeted, body)) = (sample.name(), first_sentence(&usual));
        assert_eq!(greeted, named(&sample), "{name}: {body}");
        let (greeted, other) = first_sentence(&nameless);
        assert!(!greeted && !other.contains("Dear"), "{name}: {other}");
        assert!(!other.starts_with(char::is_lowercase), "{name}: {other}");
        assert!(!nameless.text.contains("bait") && !nameless.html.contains("bait"), "{name}");
        let rest = body.trim_start_matches("Dear Asha, ");
        assert!(rest.eq_ignore_ascii_case(&other), "{name}: {rest} / {other}");
    }
}

#[test]
fn no_mail_loads_anything() {
    let marks = ["<link", "<img", "@import", "@font-face", "src=\"", "background=\"http", "url("];
    for (sample, page) in all(&Typed::usual()) {
        let html = page.html.to_lowercase();
        for mark in marks {
            assert!(!html.contains(mark), "{} holds {mark}", sample.name());
        }
        // A long mail is cut off by some mail programs, with a link to the rest.
        assert!(html.len() < 100_000, "{} has {} bytes", sample.name(), html.len());
    }
}

#[test]
fn a_subject_does_not_name_the_service() {
    let telling = Typed {
        first_name: "Firstcanary".to_owned(),
        last_name: "Lastcanary".to_owned(),
        phone: "+91canary".to_owned(),
        notes: "Notecanary".to_owned(),
        service_title: "Servicecanary".to_owned(),
        name: "Namecanary".to_owned(),
        text: "Textcanary".to_owned(),
    };
    for (sample, page) in all(&telling).into_iter().chain(all(&hostile())) {
        let (name, subject) = (sample.name(), page.subject);
        assert!(!subject.is_empty() && !subject.contains(['\r', '\n']), "{name}: {subject}");
        assert!(subject.chars().count() < 78, "{name}: {subject}");
        for word in ["canary", "Grief", "Counselling", "O'Neil", "Meera", CODE, "{{", "example"] {
            assert!(!subject.contains(word), "{name}: {subject}");
        }
        assert!(page.html.contains("<title>"), "{name}");
    }
    let (facts, payload) = sample(Kind::ContactMessage, "usual");
    let page = write(Kind::ContactMessage, &facts, &payload);
    assert_eq!(page.subject, "A message from the contact form");
}

/// The mails that exist to bring a visitor's words to the practice; neither is about a booking.
const BRINGS_WORDS: [Kind; 2] = [Kind::ContactMessage, Kind::ReviewNotice];

/// In a mailbox no role is asked: what a client wrote, and the room, stand on the join page.
#[test]
fn no_mail_has_what_a_client_wrote_or_the_room() {
    const ROOM: &str = "meet.example";
    let telling =
        Typed { notes: "Notecanary".to_owned(), text: "Textcanary".to_owned(), ..Typed::usual() };
    let (mut with_room, mut to_join) = (0, 0);
    for (sample, page) in all(&telling) {
        let name = sample.name();
        let is_for_us = sample.kind.is_for_the_practice();
        for said in [&page.subject, &preview(&page), &page.text, &page.html] {
            assert!(!said.contains("Notecanary"), "{name} has the client's note");
            let brings = BRINGS_WORDS.contains(&sample.kind);
            assert!(brings || !said.contains("Textcanary"), "{name} has what a visitor wrote");
            assert!(!said.contains(ROOM), "{name} has the room's address");
            assert!(!is_for_us || !said.contains(JOIN_KEY), "{name} has the client's key");
            to_join += usize::from(said.contains(JOIN_KEY));
        }
        with_room += usize::from(format!("{:?}", sample.facts).contains(ROOM));
    }
    // There were rooms to name, and clients are led to theirs in another way.
    assert!(with_room >= 20 && to_join >= 20, "{with_room} {to_join}");
}

#[test]
fn a_practice_can_have_the_room_in_its_second_reminder_and_nowhere_else() {
    let (mut context, templates) = (context(), Templates::new().unwrap());
    context.practice.mails.second_reminder_names_room = true;
    let mut named = 0;
    for sample in samples::all(&Typed::usual()) {
        let mail = page(&context, &templates, &sample);
        let has_room = mail.text.contains(ROOM_URL);
        let told = mail.html.contains("meet.example");
        assert_eq!(has_room, told, "{}", sample.name());
        let may = sample.kind == Kind::SecondReminder;
        assert!(may || !has_room, "{} has the room's address", sample.name());
        assert!(!may || mail.text.contains(JOIN_KEY) == mail.text.contains("Join your session"));
        named += usize::from(has_room);
    }
    // Online, after the deadline, free and of a package; not in person, and not without a room.
    assert_eq!(named, 4);
}

#[test]
fn typed_words_keep_the_direction_of_their_letters() {
    let (facts, payload) = sample(Kind::ContactMessage, "usual");
    let page = write(Kind::ContactMessage, &facts, &payload);
    for part in ["<b dir=\"auto\">", "class=\"bar ink\" dir=\"auto\""] {
        assert!(page.html.contains(part), "{part}: {}", page.html);
    }
}

#[test]
fn every_plain_text_has_all_links_and_the_sender() {
    for (sample, page) in all(&Typed::usual()) {
        let name = sample.name();
        for href in page.html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let link = words::decoded(href);
            let link = link.trim_start_matches("mailto:").trim_start_matches("tel:");
            // A number to call is written with spaces.
            let told = page.text.contains(link) || page.text.replace(' ', "").contains(link);
            assert!(told, "{name} has no {link}: {}", page.text);
        }
        assert!(page.text.lines().count() > 5, "{name}: {}", page.text);
        assert!(page.text.contains("hello@sukoon.example"), "{name}: {}", page.text);
        // The note on help in a crisis is for people, not for the practice.
        let helps = page.text.contains("14416") && page.html.contains("href=\"tel:14416\"");
        assert_eq!(helps, !sample.kind.is_for_the_practice(), "{name}: {}", page.text);
        assert!(!page.text.contains("&lt;") && !page.text.contains("&amp;"), "{name}");
        assert!(!page.html.contains("&#x2f;"), "{name} writes its links in disguise");
    }
}

/// A fixed width took half of a phone's line from the facts, where a mail program leaves out what
/// the head says of narrow windows.
#[test]
fn labels_of_facts_are_as_wide_as_their_words() {
    let mut labels = 0;
    for (sample, page) in all(&Typed::usual()) {
        for cell in page.html.split("<td class=\"label\"").skip(1) {
            let (style, _) = cell.split_once('>').unwrap();
            let is_narrow = style.contains("width: 1%") && style.contains("white-space: nowrap");
            assert!(is_narrow, "{}: {style}", sample.name());
            labels += 1;
        }
    }
    assert!(labels > 20, "{labels}");
}

#[test]
fn both_forms_of_a_mail_say_the_same() {
    for (sample, page) in all(&Typed::usual()) {
        let seen = words::of_html(&page.html).join(" ");
        // A plain text has no head with the practice's name.
        let seen = seen.strip_prefix("Sukoon ").unwrap_or_default();
        assert_eq!(seen, words::of_text(&page.text).join(" "), "{}", sample.name());
    }
}

/// A session cannot be moved, a practice of this kind has clients, and a refund goes to the
/// original payment method. Both forms of a mail say the same, so its plain text stands for both.
#[test]
fn no_mail_uses_retired_words() {
    let given_up =
        ["or move", "reschedul", "customer", "the way you paid", "as you wished", "all the same"];
    for (sample, page) in all(&Typed::usual()) {
        let said = [page.subject.clone(), preview(&page), page.text].join("\n").to_lowercase();
        for words in given_up {
            assert!(!said.contains(words), "{} says \"{words}\": {said}", sample.name());
        }
    }
}

#[test]
fn only_optional_mails_can_be_unsubscribed() {
    for (sample, page) in all(&Typed::usual()) {
        let can = sample.kind.can_be_unsubscribed();
        for body in [&page.text, &page.html] {
            assert_eq!(body.contains(UNSUBSCRIBE_URL), can, "{}", sample.name());
            assert_eq!(body.contains("Unsubscribe"), can, "{}", sample.name());
        }
    }
}

mod bookings;
mod others;
