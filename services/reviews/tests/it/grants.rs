//! Unlocking the panel, the lifetime of grants, and throttling of guesses.

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Result;
use argon2::password_hash::PasswordHasher as _;
use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, Version};
use contract::reviews::v1::{
    DeleteReviewRequest, GetModerationRequest, ListStaffReviewsRequest, LockRequest, UnlockRequest,
};
use runtime::status::detail_of;
use staff::Role;
use testkit::until;
use tonic::{Code, Status};

use crate::fake_identity::PASSWORD;
use crate::panel::{
    ADDRESS, ADMIN, CUSTOMER, FRONT_DESK, OWNER, PRACTITIONER, Panel, person, rejection_of, review,
};

/// The shared passphrase.
const PASSPHRASE: &str = "seven calm herons cross the lake";

/// The passphrase's hash, as an operator sets it.
fn passphrase_hash() -> String {
    let params = Params::new(19_456, 2, 1, None).unwrap();
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash: PasswordHash = argon2.hash_password(PASSPHRASE.as_bytes()).unwrap();
    hash.to_string()
}

/// Reads the panel's list with a grant.
async fn look(panel: &Panel, who: Option<u128>, grant: &str) -> Result<Result<(), Status>> {
    let request = panel.call(who, grant, ListStaffReviewsRequest::default())?;
    Ok(panel.staff().list_staff_reviews(request).await.map(drop))
}

fn denied() -> (Code, String) {
    (Code::PermissionDenied, "ACCESS_DENIED".to_owned())
}

fn ended() -> (Code, String) {
    (Code::PermissionDenied, "GRANT_ENDED".to_owned())
}

#[tokio::test]
async fn staff_unlock_with_their_own_password_and_all_others_are_denied_alike() -> Result<()> {
    let panel = Panel::new().await?;
    let asked = panel.staff().get_moderation(GetModerationRequest {}).await?.into_inner();
    assert!(asked.sign_in_required);
    let mut shapes = Vec::new();
    for (who, password, reason) in [
        (None, PASSWORD, "TOKEN_MISSING"),
        (Some(CUSTOMER), PASSWORD, "STAFF_ONLY"),
        (Some(FRONT_DESK), PASSWORD, "ROLE_NOT_ALLOWED"),
        (Some(OWNER), "a quiet garden", "WRONG_PASSWORD"),
    ] {
        let begun = tokio::time::Instant::now();
        let status = panel.try_password(who, password).await?.unwrap_err();
        assert!(begun.elapsed() >= Duration::from_millis(400), "{reason} was told too soon");
        let detail = detail_of(&status);
        shapes.push((status.code(), status.message().to_owned(), detail));
        let actor = who.map(|who| person(who).to_string()).unwrap_or_default();
        assert_eq!(panel.last_act().await?, (actor, "Unlock".to_owned(), reason.to_owned()));
    }
    shapes.dedup();
    assert_eq!(shapes.len(), 1, "nobody learns what was wrong: {shapes:?}");
    assert_eq!(
        panel.identity.password_checks.load(Ordering::SeqCst),
        1,
        "only the owner's was looked at"
    );

    let opened = panel.try_password(Some(ADMIN), PASSWORD).await??;
    assert_eq!(opened.grant.len(), 43);
    let (ends, idle) = (opened.ends_at.unwrap(), opened.idle_ends_at.unwrap());
    assert_eq!(ends.seconds - idle.seconds, 20 * 60);
    assert_eq!(panel.identity.open_sessions(), 0, "the session that proved it has ended");
    assert_eq!(look(&panel, Some(ADMIN), &opened.grant).await?.err().map(|it| it.code()), None);
    Ok(())
}

#[tokio::test]
async fn neither_a_password_nor_a_grant_stands_in_for_the_second_factor() -> Result<()> {
    let panel = Panel::new().await?;
    let required = (Code::PermissionDenied, Some("SECOND_FACTOR_REQUIRED".to_owned()));
    let told = |status: &Status| (status.code(), detail_of(status).map(|detail| detail.reason));
    let asked = UnlockRequest { password: PASSWORD.to_owned() };
    let asked = panel.by_one_factor(OWNER, "", asked)?;
    let status = panel.staff().unlock(asked).await.unwrap_err();
    assert_eq!(told(&status), required);
    assert_eq!(panel.identity.password_checks.load(Ordering::SeqCst), 0);
    let grant = panel.unlocked(OWNER).await?;
    let asked = panel.by_one_factor(OWNER, &grant, ListStaffReviewsRequest::default())?;
    let status = panel.staff().list_staff_reviews(asked).await.unwrap_err();
    assert_eq!(told(&status), required);
    Ok(())
}

#[tokio::test]
async fn after_five_wrong_tries_even_the_right_one_waits_and_a_restart_forgets_nothing()
-> Result<()> {
    let mut panel = Panel::new().await?;
    for _ in 0..5 {
        assert_eq!(rejection_of(panel.try_password(Some(OWNER), "guess").await?), denied());
    }
    let password_checks = panel.identity.password_checks.load(Ordering::SeqCst);
    assert_eq!(password_checks, 5);
    assert_eq!(rejection_of(panel.try_password(Some(OWNER), PASSWORD).await?), denied());
    assert_eq!(panel.last_act().await?.2, "MUST_WAIT");
    panel.restart(None).await;
    assert_eq!(rejection_of(panel.try_password(Some(OWNER), PASSWORD).await?), denied());
    // The network address is counted, too, so another account there must wait.
    assert_eq!(rejection_of(panel.try_password(Some(ADMIN), PASSWORD).await?), denied());
    assert_eq!(
        panel.identity.password_checks.load(Ordering::SeqCst),
        password_checks,
        "none was looked at"
    );
    // From another address the other account is free, and this one still waits.
    let elsewhere = async |who: u128| -> Result<Result<(), Status>> {
        let mut request =
            panel.call(Some(who), "", UnlockRequest { password: PASSWORD.to_owned() })?;
        request.metadata_mut().insert("x-caller-address", "198.51.100.9".parse()?);
        Ok(panel.staff().unlock(request).await.map(drop))
    };
    assert_eq!(rejection_of(elsewhere(OWNER).await?), denied());
    elsewhere(ADMIN).await??;

    panel.move_clock(31).await;
    assert_eq!(rejection_of(panel.try_password(Some(OWNER), "guess").await?), denied());
    // The sixth wrong password doubles the wait.
    panel.move_clock(31 + 31).await;
    assert_eq!(rejection_of(panel.try_password(Some(OWNER), PASSWORD).await?), denied());
    panel.move_clock(31 + 62).await;
    panel.unlocked(OWNER).await?;
    // A success resets the counter, so the next failure is the first.
    assert_eq!(rejection_of(panel.try_password(Some(OWNER), "slip").await?), denied());
    panel.unlocked(OWNER).await?;
    Ok(())
}

#[tokio::test]
async fn tries_that_come_at_once_are_counted_before_any_is_looked_at() -> Result<()> {
    let panel = Panel::new().await?;
    let tries = (0..12).map(|_| panel.try_password(Some(OWNER), "guess"));
    for answer in futures::future::join_all(tries).await {
        assert_eq!(rejection_of(answer?), denied());
    }
    assert_eq!(panel.identity.password_checks.load(Ordering::SeqCst), 5);
    Ok(())
}

#[tokio::test]
async fn a_password_that_cannot_be_checked_is_no_wrong_one() -> Result<()> {
    let panel = Panel::new().await?;
    for status in [503, 500, 401, 404] {
        panel.identity.answer_with(status);
        let answer = rejection_of(panel.try_password(Some(OWNER), PASSWORD).await?);
        let expected = if status == 404 { denied().0 } else { Code::Unavailable };
        assert_eq!(answer.0, expected, "{status}");
    }
    // Throttling looks like a wrong password, so an attacker cannot tell them apart.
    panel.identity.answer_with(0);
    for _ in 0..3 {
        assert_eq!(rejection_of(panel.try_password(Some(OWNER), "guess").await?), denied());
    }
    panel.unlocked(OWNER).await?;
    assert!(!panel.dump(&["audit_log"]).await?.contains("SERVICE_UNAVAILABLE"));
    Ok(())
}

#[tokio::test]
async fn a_password_of_another_account_proves_nothing() -> Result<()> {
    let panel = Panel::new().await?;
    panel.identity.other.store(u16::try_from(CUSTOMER)?, Ordering::SeqCst);
    assert_eq!(rejection_of(panel.try_password(Some(OWNER), PASSWORD).await?), denied());
    assert_eq!(panel.identity.open_sessions(), 0);
    Ok(())
}

#[tokio::test]
async fn a_grant_ends_unused_after_ten_minutes_and_used_after_thirty() -> Result<()> {
    let panel = Panel::new().await?;
    let (used, unused) = (panel.unlocked(OWNER).await?, panel.unlocked(OWNER).await?);
    for minutes in [9, 18, 27] {
        panel.move_clock(minutes * 60).await;
        look(&panel, Some(OWNER), &used).await??;
        if minutes == 9 {
            continue;
        }
        assert_eq!(rejection_of(look(&panel, Some(OWNER), &unused).await?), ended());
    }
    panel.move_clock(30 * 60 + 1).await;
    assert_eq!(rejection_of(look(&panel, Some(OWNER), &used).await?), ended());
    // The denied read changed nothing: with the clock moved back, the grant is valid again.
    panel.move_clock(29 * 60).await;
    look(&panel, Some(OWNER), &used).await??;
    // After a day its row is deleted; the answer is the same.
    panel.move_clock(25 * 3600).await;
    panel.unlocked(OWNER).await?;
    assert_eq!(rejection_of(look(&panel, Some(OWNER), &used).await?), ended());
    until("only the new one is remembered", async || {
        let kept = panel.world.count("select count(*) from moderation_grants").await;
        Ok((kept == 1).then_some(()))
    })
    .await
}

#[tokio::test]
async fn lock_ends_a_grant_and_unlocking_again_ends_the_one_before() -> Result<()> {
    let panel = Panel::new().await?;
    let first = panel.unlocked(OWNER).await?;
    let again = UnlockRequest { password: PASSWORD.to_owned() };
    let request = panel.call(Some(OWNER), &first, again)?;
    let second = panel.staff().unlock(request).await?.into_inner().grant;
    assert_eq!(rejection_of(look(&panel, Some(OWNER), &first).await?), ended());
    look(&panel, Some(OWNER), &second).await??;
    // `Lock` needs no token: the user may already have signed out.
    for _ in 0..2 {
        panel.staff().lock(panel.call(None, &second, LockRequest {})?).await?;
    }
    panel.staff().lock(panel.call(None, "", LockRequest {})?).await?;
    panel.staff().lock(panel.call(None, "never-given", LockRequest {})?).await?;
    assert_eq!(rejection_of(look(&panel, Some(OWNER), &second).await?), ended());
    let locks = panel.audit_log().await?.into_iter().filter(|row| row.2 == "Lock");
    let locks: Vec<_> = locks.map(|row| (row.0, row.1, row.4)).collect();
    let owner = person(OWNER).to_string();
    assert_eq!(locks, [(owner, "owner".to_owned(), "done".to_owned())]);
    Ok(())
}

#[tokio::test]
async fn a_grant_is_bound_to_its_account_and_role() -> Result<()> {
    let panel = Panel::new().await?;
    let grant = panel.unlocked(OWNER).await?;
    for (who, code, reason) in [
        (None, Code::Unauthenticated, "TOKEN_MISSING"),
        (Some(ADMIN), Code::PermissionDenied, "GRANT_REQUIRED"),
        (Some(PRACTITIONER), Code::PermissionDenied, "ROLE_NOT_ALLOWED"),
        (Some(CUSTOMER), Code::PermissionDenied, "STAFF_ONLY"),
    ] {
        assert_eq!(rejection_of(look(&panel, who, &grant).await?), (code, reason.to_owned()));
    }
    panel.set_role(OWNER, Some(Role::Practitioner));
    let now = rejection_of(look(&panel, Some(OWNER), &grant).await?);
    assert_eq!(now, (Code::PermissionDenied, "ROLE_NOT_ALLOWED".to_owned()));
    panel.set_role(OWNER, None);
    let now = rejection_of(look(&panel, Some(OWNER), &grant).await?);
    assert_eq!(now, (Code::PermissionDenied, "STAFF_ONLY".to_owned()));
    Ok(())
}

#[tokio::test]
async fn one_passphrase_opens_the_panel_where_the_practice_sets_one() -> Result<()> {
    let mut panel = Panel::new().await?;
    let own = panel.unlocked(OWNER).await?;
    panel.restart(Some(passphrase_hash())).await;
    let asked = panel.staff().get_moderation(GetModerationRequest {}).await?.into_inner();
    assert!(!asked.sign_in_required);
    let before = rejection_of(look(&panel, Some(OWNER), &own).await?);
    assert_eq!(before, ended(), "what was given for own passwords ends with them");
    for wrong in ["", PASSWORD, "Seven calm herons cross the lake"] {
        assert_eq!(rejection_of(panel.try_password(Some(OWNER), wrong).await?), denied());
        let wrong = ("".to_owned(), "Unlock".to_owned(), "WRONG_PASSWORD".to_owned());
        assert_eq!(panel.last_act().await?, wrong);
    }
    let grant = panel.try_password(None, PASSPHRASE).await??.grant;
    let written = panel.submit(review("Asha", "asha@example.org", "Calm.")).await?;
    let delete = DeleteReviewRequest { review_id: written.review_id };
    panel.staff().delete_review(panel.call(None, &grant, delete)?).await?;
    let done = ("passphrase".to_owned(), "DeleteReview".to_owned(), "done".to_owned());
    assert_eq!(panel.last_act().await?, done);
    let by: String = sqlx::query_scalar(
        "select payload ->> 'deletedBy' from events where event_type = 'reviews.v1.ReviewDeleted'",
    )
    .fetch_one(panel.world.store.pool())
    .await?;
    assert_eq!(by, "passphrase");
    for _ in 0..5 {
        assert_eq!(rejection_of(panel.try_password(None, "guess").await?), denied());
    }
    assert_eq!(rejection_of(panel.try_password(None, PASSPHRASE).await?), denied());
    panel.move_clock(31).await;
    let grant = panel.try_password(None, PASSPHRASE).await??.grant;
    look(&panel, None, &grant).await??;
    panel.restart(Some(passphrase_hash())).await;
    assert_eq!(rejection_of(look(&panel, None, &grant).await?), ended(), "it was another hash's");
    let grant = panel.try_password(None, PASSPHRASE).await??.grant;

    panel.restart(None).await;
    assert_eq!(rejection_of(look(&panel, Some(OWNER), &grant).await?), ended());
    Ok(())
}

#[tokio::test]
async fn nothing_that_opens_the_panel_is_stored_and_addresses_go_after_a_day() -> Result<()> {
    let panel = Panel::new().await?;
    let grant = panel.unlocked(OWNER).await?;
    assert_eq!(
        rejection_of(panel.try_password(Some(ADMIN), "a garden of errors").await?),
        denied()
    );
    let tables =
        ["events", "audit_log", "moderation_grants", "moderation_tries", "timers", "outbox"];
    let stored = panel.dump(&tables).await?;
    for secret in [PASSWORD, "a garden of errors", &grant, "@sukoon.example"] {
        assert!(!stored.contains(secret), "{secret} is stored");
    }
    assert!(panel.dump(&["moderation_tries"]).await?.contains(ADDRESS));
    assert!(!panel.dump(&["audit_log"]).await?.contains(ADDRESS));
    panel.move_clock(25 * 3600).await;
    // No request is needed for the deletion.
    until("tries and grants are forgotten", async || {
        let left = panel.dump(&["moderation_tries", "moderation_grants"]).await?;
        Ok(left.is_empty().then_some(()))
    })
    .await
}

#[tokio::test]
async fn unauthorized_or_empty_attempts_are_not_counted() -> Result<()> {
    let panel = Panel::new().await?;
    let longest = "a".repeat(1025);
    for (who, password) in [
        (None, PASSWORD),
        (Some(CUSTOMER), PASSWORD),
        (Some(FRONT_DESK), "guess"),
        (Some(OWNER), ""),
        (Some(OWNER), longest.as_str()),
    ] {
        let tries = (0..6).map(|_| panel.try_password(who, password));
        for answer in futures::future::join_all(tries).await {
            assert_eq!(rejection_of(answer?), denied());
        }
    }
    assert_eq!(
        panel.identity.password_checks.load(Ordering::SeqCst),
        0,
        "no password was looked at"
    );
    assert_eq!(panel.dump(&["moderation_tries"]).await?, "");
    panel.unlocked(OWNER).await?;
    Ok(())
}

#[tokio::test]
async fn a_try_that_is_given_back_lifts_no_wait_that_others_earned() -> Result<()> {
    let panel = Panel::new().await?;
    for _ in 0..5 {
        assert_eq!(rejection_of(panel.try_password(Some(OWNER), "guess").await?), denied());
    }
    panel.move_clock(31).await;
    panel.identity.answer_with(503);
    let unavailable = rejection_of(panel.try_password(Some(OWNER), PASSWORD).await?);
    assert_eq!(unavailable.0, Code::Unavailable);
    panel.identity.answer_with(0);
    assert_eq!(rejection_of(panel.try_password(Some(OWNER), PASSWORD).await?), denied());
    assert_eq!(panel.last_act().await?.2, "MUST_WAIT", "the five have earned it");
    // The wait is not longer than that of the five failures.
    panel.move_clock(31 + 31).await;
    panel.unlocked(OWNER).await?;
    Ok(())
}

#[tokio::test]
async fn failures_of_others_do_not_keep_the_practice_out() -> Result<()> {
    let mut panel = Panel::new().await?;
    panel.restart(Some(passphrase_hash())).await;
    sqlx::query(
        "insert into moderation_tries (tried_by, failures, blocked_until_at, forget_at)
         values ('everybody', 60, clock_now() + interval '1 min', clock_now() + interval '1 day')",
    )
    .execute(panel.world.store.pool())
    .await?;
    let from = async |address: &str, password: &str| -> Result<Result<(), Status>> {
        let mut request = panel.call(None, "", UnlockRequest { password: password.to_owned() })?;
        request.metadata_mut().insert("x-caller-address", address.parse()?);
        Ok(panel.staff().unlock(request).await.map(drop))
    };
    // A network has three attempts of its own; the next one waits for those of all.
    for reason in ["WRONG_PASSWORD", "WRONG_PASSWORD", "WRONG_PASSWORD", "MUST_WAIT"] {
        assert_eq!(rejection_of(from("198.51.100.9", "guess").await?), denied());
        assert_eq!(panel.last_act().await?.2, reason);
    }
    assert_eq!(rejection_of(from("198.51.100.9", PASSPHRASE).await?), denied());
    from("203.0.113.7", PASSPHRASE).await??;
    Ok(())
}
