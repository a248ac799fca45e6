//! Ten thousand guesses from 200 addresses at 1,000 accounts, of which 50 have a password from the
//! guesser's own list, while 200 people sign in. At most one account opens, and no one is refused.
//! `make prove` plays this; `make test` plays it with a fifth of the accounts.

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt as _;
use futures::stream;
use identity::accounts::address::EmailAddress;
use identity::repository::users::{self, User};
use reqwest::header::RETRY_AFTER;
use serde_json::json;
use tokio::time::Instant;

use crate::test_server::{Answer, TestServer};
use crate::visitor::Visitor;

const ADDRESSES: usize = 200;
const LIST: usize = 10;
const AT_ONCE: usize = 32;
/// How many wrong guesses may be hashed in all.
const CHECKED_MAX: usize = 32;
/// Every twentieth account has a password of the list.
const WEAK_EACH: usize = 20;

/// How many accounts there are; with fewer, guesses would not be a flood.
fn account_count() -> usize {
    if testkit::proof::is_whole("spraying") { 1_000 } else { 200 }
}

/// Common to people, and in no list of breached passwords.
fn listed(n: usize) -> String {
    format!("our family album {n}")
}

fn own(account: usize) -> String {
    format!("a garden of my own {account}")
}

fn email(account: usize) -> String {
    format!("person{account}@example.test")
}

fn is_weak(account: usize) -> bool {
    account % WEAK_EACH == 7
}

/// Accounts of people who sign in during the attack; none of them has a listed password.
fn is_person(account: usize) -> bool {
    account % 5 == 1
}

async fn accounts(server: &TestServer) {
    let unused = server.app.hasher.hash("a password that nobody tries").await.unwrap();
    let now = server.app.store.now().await.unwrap();
    let mut rows = server.app.store.pool().acquire().await.unwrap();
    for account in 0..account_count() {
        let address = EmailAddress::parse(&email(account)).unwrap();
        let mut user = User::new(&address, json!({}), now);
        user.email_confirmed_at = Some(now);
        user.password_hash = Some(match account {
            weak if is_weak(weak) => {
                let password = listed(account / WEAK_EACH % LIST);
                server.app.hasher.hash(&password).await.unwrap()
            }
            person if is_person(person) => server.app.hasher.hash(&own(person)).await.unwrap(),
            _ => unused.clone(),
        });
        users::insert(&mut rows, &user).await.unwrap();
    }
}

/// Accounts in an order that has nothing to do with which are weak.
fn shuffled(n: usize) -> usize {
    n * 617 % account_count()
}

#[derive(Default)]
struct Figures {
    opened: AtomicUsize,
    checked: AtomicUsize,
    refused: AtomicUsize,
    other: AtomicUsize,
}

/// Guesses in this order, with as many at once as a server meets.
async fn attack(
    server: &TestServer,
    guesses: impl Iterator<Item = (usize, usize)>,
    from: fn(usize) -> String,
) -> Figures {
    let figures = Figures::default();
    stream::iter(guesses.enumerate())
        .for_each_concurrent(AT_ONCE, async |(n, (account, password))| {
            let guesser = server.visitor(from(n % ADDRESSES));
            let answer = guesser.sign_in(&email(account), &listed(password)).await;
            let counter = match answer.status.as_u16() {
                200 => &figures.opened,
                400 => &figures.checked,
                // The second says that too many passwords wait to be checked.
                429 | 503 => &figures.refused,
                _ => &figures.other,
            };
            counter.fetch_add(1, Ordering::Relaxed);
        })
        .await;
    assert_eq!(figures.other.load(Ordering::Relaxed), 0, "no other answer");
    figures
}

/// Signs in; while the server is too busy to hash a password, which is no refusal, again.
async fn signed_in(person: &Visitor<'_>, email: &str, password: &str) -> Answer {
    let answered = async || {
        let answer = person.sign_in(email, password).await;
        let is_busy = answer.status.as_u16() == 503 && answer.headers.contains_key(RETRY_AFTER);
        Ok((!is_busy).then_some(answer))
    };
    testkit::until("a password is hashed", answered).await.unwrap()
}

/// Each person signs in once; every third mistypes first. The answers that refuse.
async fn people(server: &TestServer) -> Vec<String> {
    let people = (0..account_count()).filter(|account| is_person(*account));
    let refused = stream::iter(people).map(async |account| {
        let person = server.visitor(format!("127.9.{}.{}", account / 250, account % 250));
        if account % 3 == 0 {
            let typo = format!("{}x", own(account));
            let answer = signed_in(&person, &email(account), &typo).await;
            answer.assert_error(400, "invalid_credentials");
        }
        let answer = signed_in(&person, &email(account), &own(account)).await;
        (!answer.status.is_success()).then(|| format!("{} {}", answer.status, answer.body))
    });
    refused.buffer_unordered(4).filter_map(async |refused| refused).collect().await
}

async fn played(
    order: &str,
    guesses: impl Iterator<Item = (usize, usize)>,
    from: fn(usize) -> String,
) {
    let server = TestServer::with_confirmation().await;
    accounts(&server).await;
    // Someone with a listed password, on a device that signed in before.
    let home = server.visitor("198.51.100.7");
    home.sign_in(&email(7), &listed(0)).await.ok();

    let begun = Instant::now();
    let (attacked, refused) = tokio::join!(attack(&server, guesses, from), people(&server));
    let took = begun.elapsed();
    let of = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
    let (opened, checked) = (of(&attacked.opened), of(&attacked.checked));
    let told = of(&attacked.refused);
    let mut out = std::io::stderr();
    writeln!(
        out,
        "{order}: {opened} opened, {checked} checked, {told} refused of {} guesses; {} people \
         refused; {took:.1?}",
        opened + checked + told,
        refused.len()
    )
    .unwrap();
    assert_eq!(opened + checked + told, account_count() * LIST);
    assert!(opened <= 1, "{opened} accounts opened");
    // Guesses that are refused cost no hashing, so that people don't wait for them.
    assert!(checked <= CHECKED_MAX, "{checked} guesses were hashed");
    assert_eq!(refused, Vec::<String>::new(), "people were refused");

    home.sign_in(&email(7), &listed(0)).await.ok();
    // The same person elsewhere needs a code by mail, and gets one; in the alarm the page works.
    let away = server.visitor("192.0.2.9");
    away.sign_in(&email(27), &listed(1)).await.assert_error(429, "over_request_rate_limit");
    away.post_by_page("/recover", json!({ "email": email(27) })).await.ok();
    let mail = server.latest_mail().await;
    away.verify("recovery", &email(27), &mail.code).await.ok();
}

/// One password after the other at all accounts, from one network.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_password_at_all_accounts_opens_at_most_one() {
    let guesses =
        (0..LIST).flat_map(|password| (0..account_count()).map(move |n| (shuffled(n), password)));
    played("password by password", guesses, |n| format!("127.0.0.{}", n + 1)).await;
}

/// All passwords at one account after the other, from 200 networks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_passwords_at_each_account_open_at_most_one() {
    let guesses =
        (0..account_count()).flat_map(|n| (0..LIST).map(move |password| (shuffled(n), password)));
    played("account by account", guesses, |n| format!("127.1.{n}.1")).await;
}

/// In no order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_in_no_order_open_at_most_one() {
    let all = account_count() * LIST;
    let guesses = (0..all).map(move |n| n * 7_919 % all);
    let guesses = guesses.map(|n| (n / LIST, n % LIST));
    played("in no order", guesses, |n| format!("127.{}.{n}.1", n % 7 + 1)).await;
}
