//! Metrics are read at their own address, with the names that are declared and no stale figure.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::catalogue::{CHECK_FAILING, SOURCE_FAILING, definitions};
use super::{CHEAP, Label, Reading, add_source, endpoint};
use crate::{BoxError, Shutdown};

/// Opens an address and gives what Prometheus would read there.
async fn scrape() -> String {
    let shutdown = Shutdown::new();
    let any = "127.0.0.1:0".parse().unwrap();
    let address = endpoint::open("booking", any, &shutdown).await.unwrap();
    let text = fetch(address).await;
    shutdown.trigger();
    text
}

async fn fetch(address: std::net::SocketAddr) -> String {
    let url = format!("http://{address}/metrics");
    let answer = crate::http::client().unwrap().get(url).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.text().await.unwrap()
}

#[tokio::test]
async fn beside_them_is_whether_the_process_lives() {
    let shutdown = Shutdown::new();
    let any = "127.0.0.1:0".parse().unwrap();
    let address = endpoint::open("booking", any, &shutdown).await.unwrap();
    let http = crate::http::client().unwrap();
    let asked = http.get(format!("http://{address}/livez")).send().await.unwrap();
    assert_eq!(asked.status(), 200);
    assert_eq!(endpoint::readiness(true), 200);
    assert_eq!(endpoint::readiness(false), 503);
    shutdown.trigger();
}

#[tokio::test]
async fn a_source_is_asked_once_however_many_ask() {
    scrape().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    add_source("asked-once", CHEAP, move || {
        let now = counted.fetch_add(1, Ordering::SeqCst);
        let value = i64::try_from(now).unwrap();
        async move { Ok(vec![Reading::new(&SOURCE_FAILING, value, [Label::Check.of("figure")])]) }
    });
    let (first, second) = tokio::join!(scrape(), scrape());
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    for text in [first, second] {
        assert!(text.contains("sukoon_source_failing{check=\"figure\"} 0"), "{text}");
    }
}

#[tokio::test]
async fn a_source_that_fails_is_told_and_its_figures_are_absent() {
    scrape().await;
    let is_broken = Arc::new(AtomicBool::new(false));
    let broken = Arc::clone(&is_broken);
    add_source("at-times-broken", Duration::ZERO, move || {
        let reading = Reading::new(&CHECK_FAILING, 1, [Label::Check.of("read-before")]);
        let is_broken = broken.load(Ordering::SeqCst);
        async move { if is_broken { Err(BoxError::from("gone")) } else { Ok(vec![reading]) } }
    });
    for (state, is_failing) in [(false, 0), (true, 1), (false, 0)] {
        is_broken.store(state, Ordering::SeqCst);
        let text = scrape().await;
        let told = format!("sukoon_source_failing{{check=\"at-times-broken\"}} {is_failing}\n");
        assert!(text.contains(&told), "{text}");
        let is_there = text.contains("sukoon_check_failing{check=\"read-before\"} 1\n");
        assert_eq!(is_there, !state, "an old value would look like a good one: {text}");
    }
}

#[tokio::test]
async fn the_process_says_which_service_it_is_and_nothing_else_is_served() {
    let shutdown = Shutdown::new();
    let any = "127.0.0.1:0".parse().unwrap();
    let address = endpoint::open("booking", any, &shutdown).await.unwrap();
    let text = fetch(address).await;
    assert!(text.contains("target_info{") && text.contains("service_name=\"booking\""), "{text}");
    let other = crate::http::client().unwrap().get(format!("http://{address}/")).send().await;
    assert_eq!(other.unwrap().status(), 404);
    shutdown.trigger();
}

#[test]
fn every_definition_has_a_name_a_meaning_and_labels_of_the_list() {
    let mut names = std::collections::BTreeSet::new();
    for definition in definitions() {
        let plain = |char: char| char.is_ascii_lowercase() || char == '.' || char == '_';
        assert!(definition.name.chars().all(plain), "{}", definition.name);
        assert!(names.insert(definition.name), "{} is declared twice", definition.name);
        assert!(definition.meaning.ends_with('.'), "{}", definition.name);
        assert!(definition.labels.iter().all(|label| Label::ALL.contains(label)));
    }
}

/// A label for a person would be noticed here: the list may only grow with a look at its values.
#[test]
fn labels_have_no_place_for_a_person() {
    let keys: Vec<&str> = Label::ALL.iter().map(|label| label.word()).collect();
    insta::assert_snapshot!("labels", keys.join("\n"));
}
