//! Visitors' texts are escaped in every place of the document.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use contract::reviews::v1::{GetReviewResponse, Review};
use prost_types::Timestamp;

use super::{ReviewTemplate, escape_html, excerpt};
use crate::web_files::error::SiteError;
use crate::web_files::file::WebFile;

const ID: &str = "rvw_0198c0de000070008000000000000001";
const WRITTEN: u64 = 1_760_000_000;
const DAY: u64 = 24 * 60 * 60;
const DOCUMENT: &str = "<title>SUKOON-REVIEW-NAME on SUKOON-REVIEW-SERVICE</title>\
    <meta content=\"SUKOON-REVIEW-START\">\
    <a href=\"/reviews/rvw_00000000000000000000000000000000\">\
    <!--SUKOON-REVIEW-MARKS--><p>SUKOON-REVIEW-TEXT</p>\
    <script type=\"application/json\">{\"review\":\"SUKOON-REVIEW-ANSWER\"}</script>";

fn file(name: &str, text: &str) -> WebFile {
    WebFile::new(name, text.as_bytes().to_vec(), "https://sukoon.example")
}

fn page() -> ReviewTemplate {
    let marks =
        r#"{"4": "<b>4</b>", "4-verified": "<b>4v</b>", "4-verified-recent": "<b>4vr</b>"}"#;
    ReviewTemplate::new(&file("/words.html", DOCUMENT), &file("/marks.json", marks)).unwrap()
}

fn review(name: &str, text: &str) -> Review {
    Review {
        review_id: ID.to_owned(),
        name: name.to_owned(),
        service: "Energy Healing".to_owned(),
        rating: 4,
        text: text.to_owned(),
        created_at: Some(Timestamp { seconds: WRITTEN as i64, nanos: 0 }),
        ..Review::default()
    }
}

fn render(review: &Review, now: SystemTime) -> Option<WebFile> {
    let answer = GetReviewResponse { review: Some(review.clone()) };
    page().render(review, &contract::json::to_json(&answer).unwrap().to_string(), now)
}

fn days_later(days: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(WRITTEN + days * DAY)
}

fn html(review: &Review) -> String {
    let document = render(review, days_later(40)).unwrap();
    String::from_utf8(document.bytes.to_vec()).unwrap()
}

#[test]
fn the_review_fills_each_placeholder() {
    let html = html(&review("Asha", "It was\nquiet."));
    let start = "<title>Asha on Energy Healing</title><meta content=\"It was quiet.\">";
    assert!(html.starts_with(start), "{html}");
    assert!(html.contains(&format!("<a href=\"/reviews/{ID}\"><b>4</b><p>It was\nquiet.</p>")));
    let block = html.split_once("application/json\">").unwrap().1;
    let block = block.strip_suffix("</script>").unwrap();
    let read: serde_json::Value = serde_json::from_str(block).unwrap();
    let review = &read["review"]["review"];
    assert_eq!(
        (review["reviewId"].as_str(), review["text"].as_str()),
        (Some(ID), Some("It was\nquiet."))
    );
}

#[test]
fn no_text_becomes_html_or_ends_the_data() {
    for hostile in [
        "</script><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onload='alert(1)",
        "<!--SUKOON-REVIEW-MARKS-->",
        "\"SUKOON-REVIEW-ANSWER\"",
        "SUKOON-REVIEW-TEXT & rvw_00000000000000000000000000000000",
        "\\u003c/script>\\",
        "<!--<script>",
    ] {
        let html = html(&review(hostile, hostile));
        assert_eq!(html.matches('<').count(), DOCUMENT.matches('<').count() + 1, "{html}");
        assert_eq!(html.matches("<b>4</b>").count(), 1, "{html}");
        let (before, block) = html.split_once("application/json\">").unwrap();
        assert!(before.contains(&format!("<p>{}</p>", escape_html(hostile))), "{html}");
        let read: serde_json::Value =
            serde_json::from_str(block.strip_suffix("</script>").unwrap()).unwrap();
        assert_eq!(read["review"]["review"]["text"], hostile);
    }
}

#[test]
fn the_marks_are_those_of_the_review() {
    let mut given = review("Asha", "Quiet.");
    let marked = |given: &Review, days| {
        let document = render(given, days_later(days))?;
        let html = String::from_utf8(document.bytes.to_vec()).unwrap();
        Some(html.split_once("<b>")?.1.split_once("</b>")?.0.to_owned())
    };
    assert_eq!(marked(&given, 30).as_deref(), Some("4"));
    // The build has no HTML for these marks, so the document without content is served.
    assert_eq!(marked(&given, 29), None);
    given.verified = true;
    assert_eq!(marked(&given, 30).as_deref(), Some("4v"));
    assert_eq!(marked(&given, 29).as_deref(), Some("4vr"));
}

#[test]
fn a_long_text_is_quoted_from_its_start() {
    let long = "nächster ".repeat(40);
    let start = excerpt(&long);
    assert!(start.starts_with("nächster nächster") && start.ends_with('…'), "{start}");
    assert!(start.chars().count() <= 161);
    assert_eq!(excerpt(" one\n\ntwo "), "one two");
}

#[test]
fn a_build_without_a_placeholder_is_rejected() {
    for (document, marks) in [(DOCUMENT, "no list"), ("<p>SUKOON-REVIEW-TEXT</p>", "{}")] {
        let made = ReviewTemplate::new(&file("/words.html", document), &file("/marks.json", marks));
        assert!(matches!(made, Err(SiteError::Malformed { .. })), "{document}");
    }
}
