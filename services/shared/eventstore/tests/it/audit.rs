//! Authorization of staff: which roles are let in, which are refused, and that both are recorded.

use std::sync::Arc;

use anyhow::Result;
use contract::calls::{CALLS, SecondFactor};
use eventstore::{Act, Actor, Metadata, StaffAuthorizer, Store, audit};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::Customer;
use runtime::BoxError;
use runtime::caller::{Aal, UserSettings, Users};
use staff::{LISTED_NETWORK, Role, Roles, Standing};
use testkit::{Alarms, TestUsers};
use tonic::Code;
use tonic::metadata::MetadataMap;

use crate::database;

const OWNER: &str = "00000000-0000-4000-8000-000000000001";
const DESK: &str = "00000000-0000-4000-8000-000000000002";
const CUSTOMER: &str = "00000000-0000-4000-8000-000000000003";
const ACT: Act<'static> =
    Act { action: "RefundPayment", subject: "bkg_00000000000040008000000000000007" };

/// One owner and one at the front desk.
struct Team;

impl Roles for Team {
    fn standing_of(
        &self,
        person: Id<Customer>,
        _session: Aal,
    ) -> BoxFuture<'_, Result<Option<Standing>, BoxError>> {
        let role = match person.uuid().to_string().as_str() {
            OWNER => Some(Role::Owner),
            DESK => Some(Role::FrontDesk),
            _ => None,
        };
        let standing = role.map(|role| Standing { role, needs_second_factor: true });
        async move { Ok(standing) }.boxed()
    }
}

struct World {
    users: TestUsers,
    authorizer: StaffAuthorizer,
}

impl World {
    fn new(store: &Store) -> Result<Self> {
        let users = TestUsers::new("http://identity.test/auth/v1")?;
        let settings = UserSettings {
            jwks_url: "http://identity.test/jwks".to_owned(),
            issuer: users.issuer.clone(),
            identity_url: None,
        };
        let known =
            Users::with_keys(&settings, &users.jwks()).map_err(anyhow::Error::from_boxed)?;
        let authorizer = StaffAuthorizer::new(known, Arc::new(Team), store.clone());
        Ok(Self { users, authorizer })
    }

    fn as_person(&self, person: &str) -> Result<MetadataMap> {
        let token = self.users.token(person, "a@b.example", 4_000_000_000)?;
        let mut metadata = MetadataMap::new();
        metadata.insert("authorization", format!("Bearer {token}").parse()?);
        Ok(metadata)
    }
}

/// The metadata of a call with one factor.
fn by_one_factor(world: &World, person: &str) -> Result<MetadataMap> {
    let token = world.users.one_factor_token(person, "a@b.example", 4_000_000_000)?;
    let mut metadata = MetadataMap::new();
    metadata.insert("authorization", format!("Bearer {token}").parse()?);
    Ok(metadata)
}

async fn book(store: &Store) -> Result<Vec<(String, String, String, String)>> {
    let rows =
        sqlx::query_as("select actor, role, action, outcome from audit_log order by audit_id");
    Ok(rows.fetch_all(store.pool()).await?)
}

#[tokio::test]
async fn staff_is_let_in_by_role_and_others_are_counted() -> Result<()> {
    let (_database, store) = database().await?;
    let world = World::new(&store)?;
    let owner = world.authorizer.authorize(&world.as_person(OWNER)?, ACT, Role::MANAGERS).await?;
    assert_eq!(owner.role, Role::Owner);
    assert!(book(&store).await?.is_empty(), "an act is written down with what it changes");
    store
        .write(Metadata::by("test", None), move |tx| {
            Box::pin(async move { tx.audit(owner, ACT).await })
        })
        .await?;
    let refused = world.authorizer.authorize(&world.as_person(DESK)?, ACT, Role::MANAGERS).await;
    assert_eq!(refused.unwrap_err().code(), Code::PermissionDenied);
    let refused = world.authorizer.authorize(&world.as_person(CUSTOMER)?, ACT, Role::ALL).await;
    assert_eq!(refused.unwrap_err().code(), Code::PermissionDenied);
    let anonymous = world.authorizer.authorize(&MetadataMap::new(), ACT, Role::ALL).await;
    assert_eq!(anonymous.unwrap_err().code(), Code::Unauthenticated);
    let seen = book(&store).await?;
    let seen: Vec<(&str, &str)> =
        seen.iter().map(|(_, role, _, outcome)| (role.as_str(), outcome.as_str())).collect();
    assert_eq!(seen, [("owner", "done"), ("front_desk", "ROLE_NOT_ALLOWED")]);
    // The client's refusals are counted, in one row for each hour.
    for _ in 0..3 {
        let again = world.authorizer.authorize(&world.as_person(CUSTOMER)?, ACT, Role::ALL).await;
        assert_eq!(again.unwrap_err().code(), Code::PermissionDenied);
    }
    let sql = "select first_action, sum(refusals)::bigint from outsider_refusals
               group by actor, first_action";
    let counted: Vec<(String, i64)> = sqlx::query_as(sql).fetch_all(store.pool()).await?;
    assert_eq!(counted, [(ACT.action.to_owned(), 4)]);
    Ok(())
}

#[tokio::test]
async fn one_factor_is_refused_and_recorded_unless_the_network_is_listed() -> Result<()> {
    let (_database, store) = database().await?;
    let world = World::new(&store)?;
    let mut owner = by_one_factor(&world, OWNER)?;
    let refused = world.authorizer.authorize(&owner, ACT, Role::ALL).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    let reason = runtime::status::detail_of(&refused).map(|detail| detail.reason);
    assert_eq!(reason.as_deref(), Some("SECOND_FACTOR_REQUIRED"));
    let seen = book(&store).await?;
    let [(_, role, _, outcome)] = seen.as_slice() else { anyhow::bail!("{seen:?}") };
    assert_eq!((role.as_str(), outcome.as_str()), ("owner", "SECOND_FACTOR_REQUIRED"));
    let log = Alarms::listen();
    owner.insert(LISTED_NETWORK, "192.0.2.0/24".parse()?);
    world.authorizer.authorize(&owner, ACT, Role::ALL).await?;
    // Each use is in the log of account security, which names the network and no person.
    let lines = log.security_lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    for pair in [
        "kind=staff_call",
        "outcome=second_factor_not_asked",
        "method=listed_network",
        "account=-",
        "network=192.0.2.0/24",
    ] {
        assert!(lines.iter().all(|line| line.contains(pair)), "{pair} in {lines:?}");
    }
    // Where the session has used one, nothing is left out and nothing written.
    let mut two = world.as_person(OWNER)?;
    two.insert(LISTED_NETWORK, "192.0.2.0/24".parse()?);
    world.authorizer.authorize(&two, ACT, Role::ALL).await?;
    assert!(log.security_lines().is_empty());
    // The network stands in for the second factor, not for the role.
    let mut desk = by_one_factor(&world, DESK)?;
    desk.insert(LISTED_NETWORK, "192.0.2.0/24".parse()?);
    let refused = world.authorizer.authorize(&desk, ACT, Role::MANAGERS).await.unwrap_err();
    let reason = runtime::status::detail_of(&refused).map(|detail| detail.reason);
    assert_eq!(reason.as_deref(), Some("ROLE_NOT_ALLOWED"));
    Ok(())
}

#[tokio::test]
async fn a_second_factor_of_before_is_refused_and_recorded_by_the_level_of_the_call() -> Result<()>
{
    let (_database, store) = database().await?;
    let world = World::new(&store)?;
    let ask = async |action: &'static str, seconds_ago: u64| -> Result<String> {
        let token = world.users.token_shown(OWNER, "a@b.example", seconds_ago)?;
        let mut metadata = MetadataMap::new();
        metadata.insert("authorization", format!("Bearer {token}").parse()?);
        let act = Act { action, ..ACT };
        let answer = world.authorizer.authorize(&metadata, act, Role::ALL).await;
        let detail = answer.err().and_then(|status| runtime::status::detail_of(&status));
        Ok(detail.map_or_else(|| "let in".to_owned(), |detail| detail.reason))
    };
    for (action, seconds) in [("RefundPayment", 5 * 60), ("ListBookings", 12 * 3600)] {
        // Its first factor is of this moment, and counts for nothing here.
        assert_eq!(ask(action, seconds - 30).await?, "let in", "{action}");
        assert_eq!(ask(action, seconds + 1).await?, "SECOND_FACTOR_TOO_OLD", "{action}");
    }
    let seen = book(&store).await?;
    let seen: Vec<(&str, &str)> =
        seen.iter().map(|(_, _, action, outcome)| (action.as_str(), outcome.as_str())).collect();
    let old = "SECOND_FACTOR_TOO_OLD";
    assert_eq!(seen, [("RefundPayment", old), ("ListBookings", old)]);
    Ok(())
}

/// Calls of a service for staff that are for all members, whatever their session, or for those who
/// know the panel's password.
const WITHOUT_LEVEL: [&str; 3] = ["GetOwnRole", "GetModeration", "Lock"];

#[test]
fn every_call_of_staff_has_its_level() {
    for call in CALLS {
        let (service, name) = call.names();
        let is_of_staff = service.ends_with("StaffService") && !WITHOUT_LEVEL.contains(&name);
        let has_level = call.second_factor != SecondFactor::Unspecified;
        assert_eq!(has_level, is_of_staff || name == "LeavePractice", "{}", call.path);
    }
}

#[tokio::test]
async fn acts_of_those_who_are_no_account_stand_in_the_book_with_what_they_came_to() -> Result<()> {
    let (_database, store) = database().await?;
    let id = Id::<Customer>::from_uuid(CUSTOMER.parse()?);
    let customer = Actor::account(id, None);
    let shared = Actor::sharing("passphrase");
    audit::record(&store, Actor::unknown(), ACT, "GRANT_REQUIRED").await?;
    audit::record(&store, customer.clone(), ACT, "STAFF_ONLY").await?;
    let typed = Act { action: "DeleteReview", subject: "asha@customers.example" };
    store
        .write(Metadata::by(shared.name(), None), move |tx| {
            let shared = shared.clone();
            Box::pin(async move { tx.audit_as(&shared, typed, audit::DONE).await })
        })
        .await?;
    let rows: Vec<(String, String, String, String)> = sqlx::query_as(
        "select actor, action, subject, outcome from audit_log where role = '' order by audit_id",
    )
    .fetch_all(store.pool())
    .await?;
    let row = |actor: &str, act: Act<'_>, subject: &str, outcome: &str| {
        (actor.to_owned(), act.action.to_owned(), subject.to_owned(), outcome.to_owned())
    };
    assert_eq!(
        rows,
        [
            row("", ACT, ACT.subject, "GRANT_REQUIRED"),
            row(customer.name(), ACT, ACT.subject, "STAFF_ONLY"),
            row("passphrase", typed, "", "done"),
        ]
    );
    Ok(())
}

#[tokio::test]
async fn the_book_of_acts_cannot_be_changed_by_the_service_nor_by_the_owner() -> Result<()> {
    let (database, store) = database().await?;
    let world = World::new(&store)?;
    let owner = world.authorizer.authorize(&world.as_person(OWNER)?, ACT, Role::ALL).await?;
    world.authorizer.audit_read(owner, ACT).await?;
    for sql in ["update audit_log set actor = ''", "delete from audit_log", "truncate audit_log"] {
        assert!(database.as_owner(sql).await.is_err(), "the owner: {sql}");
        assert!(sqlx::query(sql).execute(store.pool()).await.is_err(), "the service: {sql}");
    }
    assert_eq!(book(&store).await?.len(), 1);
    Ok(())
}
