//! Tests of the detector of guesses over many accounts.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use tokio::time::Instant;

use super::{Refusal, Spray};

fn address(n: u32) -> Option<IpAddr> {
    Some(IpAddr::V4(Ipv4Addr::from(0x7f01_0001 + (n << 8))))
}

/// A guess that fails; whether it was let through.
fn wrong(
    spray: &Spray,
    password: &str,
    account: u32,
    from: u32,
    now: Instant,
) -> Result<(), Refusal> {
    let guess = spray.guess(password, &account.to_be_bytes(), address(from), false);
    spray.begin(&guess, now)?;
    spray.end(&guess, false, now);
    Ok(())
}

fn right(
    spray: &Spray,
    password: &str,
    account: u32,
    from: u32,
    now: Instant,
) -> Result<(), Refusal> {
    let guess = spray.guess(password, &account.to_be_bytes(), address(from), false);
    spray.begin(&guess, now)?;
    spray.end(&guess, true, now);
    Ok(())
}

#[test]
fn a_password_is_refused_after_it_failed_at_two_other_accounts() {
    let (spray, now) = (Spray::new(), Instant::now());
    assert_eq!(wrong(&spray, "summer holiday", 1, 1, now), Ok(()));
    assert_eq!(wrong(&spray, "summer holiday", 1, 1, now), Ok(()), "the same account again");
    assert_eq!(wrong(&spray, "summer holiday", 2, 2, now), Ok(()));
    assert_eq!(wrong(&spray, "summer holiday", 3, 3, now), Err(Refusal::Password));
    assert_eq!(right(&spray, "summer holiday", 4, 4, now), Err(Refusal::Password));
    assert_eq!(right(&spray, "another password", 4, 4, now), Ok(()));
    let known = spray.guess("summer holiday", &[4], address(4), true);
    assert_eq!(spray.begin(&known, now), Ok(()), "a known device");
    let later = now + Duration::from_secs(25 * 3600);
    assert_eq!(wrong(&spray, "other", 1, 1, later), Ok(()));
    assert_eq!(wrong(&spray, "other", 1, 1, later + Duration::from_secs(13 * 3600)), Ok(()));
    assert_eq!(
        right(&spray, "summer holiday", 5, 5, later + Duration::from_secs(13 * 3600)),
        Ok(())
    );
}

#[test]
fn people_with_the_same_password_sign_in_at_once() {
    let (spray, now) = (Spray::new(), Instant::now());
    let guesses: Vec<_> = (0..50_u32)
        .map(|n| spray.guess("a quiet garden", &n.to_be_bytes(), address(1), false))
        .collect();
    assert!(guesses.iter().all(|guess| spray.begin(guess, now).is_ok()));
    assert!(guesses.iter().all(|guess| !spray.end(guess, true, now)));
    assert_eq!(right(&spray, "a quiet garden", 60, 1, now), Ok(()));
}

#[test]
fn checks_that_run_at_once_count_once_a_password_has_failed() {
    let (spray, now) = (Spray::new(), Instant::now());
    assert_eq!(wrong(&spray, "summer holiday", 1, 1, now), Ok(()));
    let unfinished = spray.guess("summer holiday", &[2], address(2), false);
    assert_eq!(spray.begin(&unfinished, now), Ok(()));
    assert_eq!(wrong(&spray, "summer holiday", 3, 3, now), Err(Refusal::Password));
}

#[test]
fn an_address_has_twenty_failures_and_forgets_one_in_three_minutes() {
    let (spray, now) = (Spray::new(), Instant::now());
    for n in 0..20 {
        assert_eq!(wrong(&spray, &format!("guess {n}"), n, 1, now), Ok(()), "{n}");
    }
    assert_eq!(right(&spray, "mine", 99, 1, now), Err(Refusal::Network));
    assert_eq!(right(&spray, "mine", 99, 2, now), Ok(()));
    assert_eq!(right(&spray, "mine", 99, 1, now + Duration::from_secs(181)), Ok(()));
}

#[test]
fn addresses_of_one_network_count_together() {
    let (spray, now) = (Spray::new(), Instant::now());
    let of = |n: u8| Some(IpAddr::V4(Ipv4Addr::new(192, 0, 2, n)));
    // Successes in between, so that no alarm is raised.
    for n in 0..200_u32 {
        let from = of(u8::try_from(n % 200).unwrap());
        let guess = spray.guess(&format!("guess {n}"), &n.to_be_bytes(), from, false);
        assert_eq!(spray.begin(&guess, now), Ok(()), "{n}");
        spray.end(&guess, false, now);
        spray.end(&guess, true, now);
    }
    let fresh = spray.guess("mine", &[1], of(250), false);
    assert_eq!(spray.begin(&fresh, now), Err(Refusal::Network));
}

#[test]
fn many_failures_raise_an_alarm_with_stricter_limits() {
    let (spray, now) = (Spray::new(), Instant::now());
    for n in 0..99 {
        assert_eq!(wrong(&spray, &format!("guess {n}"), n, n, now), Ok(()));
    }
    assert!(!spray.is_alarmed(now));
    assert_eq!(wrong(&spray, "guess 99", 99, 99, now), Ok(()));
    assert!(spray.is_alarmed(now));
    assert_eq!(wrong(&spray, "one more", 1, 200, now), Ok(()));
    assert_eq!(wrong(&spray, "one more", 2, 201, now), Err(Refusal::Password), "one account only");
    assert_eq!(wrong(&spray, "two more", 3, 200, now), Ok(()));
    assert_eq!(wrong(&spray, "three more", 3, 200, now), Ok(()));
    assert_eq!(wrong(&spray, "four more", 3, 200, now), Err(Refusal::Network), "three failures");
    // An honest person who mistypes once is let in.
    assert_eq!(wrong(&spray, "my pasword", 500, 300, now), Ok(()));
    assert_eq!(right(&spray, "my password", 500, 300, now), Ok(()));
    assert!(!spray.is_alarmed(now + Duration::from_secs(1801)));
}

#[test]
fn many_sign_ins_are_no_alarm() {
    let (spray, now) = (Spray::new(), Instant::now());
    for n in 0..150 {
        assert_eq!(wrong(&spray, &format!("typo {n}"), n, n, now), Ok(()));
        assert_eq!(right(&spray, &format!("mine {n}"), n, n, now), Ok(()));
    }
    assert!(!spray.is_alarmed(now));
}

/// Passwords tried one after the other at all accounts.
#[test]
fn three_refused_passwords_raise_an_alarm() {
    let (spray, now) = (Spray::new(), Instant::now());
    let mut let_through = 0;
    for password in 0..10 {
        for account in 0..1_000 {
            let from = account % 200;
            let guessed = wrong(&spray, &format!("guess {password}"), account, from, now);
            let_through += u32::from(guessed.is_ok());
        }
    }
    assert!(spray.is_alarmed(now));
    assert!(let_through <= 14, "{let_through} of 10,000 guesses were checked");
}

/// One network does not make the limits of all others stricter.
#[test]
fn refused_passwords_of_one_network_raise_no_alarm() {
    let (spray, now) = (Spray::new(), Instant::now());
    for password in 0..6 {
        for account in 0..3 {
            let _refused = wrong(&spray, &format!("guess {password}"), account, 1, now);
        }
    }
    assert!(!spray.is_alarmed(now));
    assert_eq!(wrong(&spray, "my pasword", 500, 300, now), Ok(()));
    assert_eq!(right(&spray, "my pasword", 501, 301, now), Ok(()));
}

#[test]
fn work_lifts_the_limit_of_the_network_and_not_of_the_password() {
    let (spray, now) = (Spray::new(), Instant::now());
    for n in 0..20 {
        assert_eq!(wrong(&spray, &format!("guess {n}"), n, 1, now), Ok(()), "{n}");
    }
    let worked = |password: &str| spray.guess(password, &[9], address(1), false).after_work(true);
    assert_eq!(spray.begin(&worked("mine"), now), Ok(()));
    assert_eq!(wrong(&spray, "summer holiday", 1, 2, now), Ok(()));
    assert_eq!(wrong(&spray, "summer holiday", 2, 3, now), Ok(()));
    assert_eq!(spray.begin(&worked("summer holiday"), now), Err(Refusal::Password));
}

#[test]
fn an_address_asks_for_five_mails_and_then_one_in_three_minutes() {
    let (spray, now) = (Spray::new(), Instant::now());
    let mail = |from, at| spray.count_mail(address(from).unwrap(), false, at);
    for _ in 0..5 {
        assert_eq!(mail(1, now), Ok(()));
    }
    assert_eq!(mail(1, now), Err(Refusal::Network));
    assert_eq!(mail(2, now), Ok(()));
    assert_eq!(mail(1, now + Duration::from_secs(181)), Ok(()));
    assert_eq!(mail(1, now + Duration::from_secs(181)), Err(Refusal::Network));
}

#[test]
fn work_grows_with_the_mails_of_a_network_and_in_an_alarm() {
    let (spray, now) = (Spray::new(), Instant::now());
    let ask = |from: u32, worked| spray.count_mail(address(from).unwrap(), worked, now);
    let bits = |from: u32| spray.work_bits(address(from), now);
    assert_eq!((bits(1), spray.work_bits(None, now)), (17, 17));
    for (mails, wanted) in [(9, 17), (10, 18), (29, 18), (30, 19)] {
        while spray.state().mailed.len() < mails {
            ask(1, true).unwrap();
        }
        assert_eq!((bits(1), bits(2)), (wanted, 17), "{mails} mails");
    }
    for from in 2..32 {
        assert_eq!(ask(from, false), Ok(()), "the first mails of a network are free");
    }
    // Sixty within ten minutes are more than people ask for.
    assert_eq!((bits(1), bits(40)), (21, 19));
    assert_eq!(ask(40, false), Err(Refusal::Network));
    assert_eq!(ask(40, true), Ok(()));
    let later = now + Duration::from_secs(601);
    assert_eq!(spray.work_bits(address(40), later), 17);
    assert_eq!(spray.count_mail(address(40).unwrap(), false, later), Ok(()));
}

/// Five guesses at each of many codes repeat no password and wait at no address.
#[test]
fn wrong_digits_of_codes_are_counted_by_network_and_raise_the_alarm() {
    let (spray, now) = (Spray::new(), Instant::now());
    let typed = |account: u32, from: u32, is_right: bool| {
        let guess = spray.code_guess(&account.to_be_bytes(), address(from), false);
        spray.begin(&guess, now)?;
        Ok::<bool, Refusal>(spray.end(&guess, is_right, now))
    };
    for account in 0..20 {
        assert_eq!(typed(account, 1, false), Ok(false));
    }
    assert_eq!(typed(20, 1, true), Err(Refusal::Network), "also the right digits");
    let passwords = spray.guess("a password", &[1], address(1), false);
    assert_eq!(spray.begin(&passwords, now), Err(Refusal::Network));
    let known = spray.code_guess(&[1], address(1), true);
    assert_eq!(spray.begin(&known, now), Ok(()), "a known device");
    let worked = spray.code_guess(&[1], address(1), false).after_work(true);
    assert_eq!(spray.begin(&worked, now), Ok(()));
    for account in 0..40 {
        assert_eq!(typed(account, 2, true), Ok(false), "right digits are no failures");
    }
    let raised = (21..100).filter(|n| typed(*n, *n, false) == Ok(true)).count();
    assert_eq!((raised, spray.is_alarmed(now)), (0, false), "99 failures, 40 successes");
    let raised = (100..300).filter(|n| typed(*n, *n, false) == Ok(true)).count();
    assert_eq!((raised, spray.is_alarmed(now)), (1, true));
}

#[test]
fn memory_is_bounded() {
    let (spray, now) = (Spray::new(), Instant::now());
    for n in 0..120_000_u32 {
        let from = Some(IpAddr::V4(Ipv4Addr::from(n)));
        let guess = spray.guess(&n.to_string(), &n.to_be_bytes(), from, false);
        spray.end(&guess, false, now);
    }
    let state = spray.state();
    assert!(state.passwords.current.len() + state.passwords.previous.len() <= 100_000);
    assert!(state.addresses.current.len() + state.addresses.previous.len() <= 100_000);
}
