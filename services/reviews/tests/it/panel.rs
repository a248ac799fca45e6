//! The admin panel of a running service: its calls as the gateway makes them, the callers, and the
//! audit log.

use anyhow::{Context as _, Result};
use contract::reviews::v1::reviews_service_client::ReviewsServiceClient;
use contract::reviews::v1::reviews_staff_service_client::ReviewsStaffServiceClient;
use contract::reviews::v1::{Review, SubmitReviewRequest, UnlockRequest, UnlockResponse};
use kernel::Id;
use kernel::id::Customer;
use runtime::status::detail_of;
use secrecy::SecretString;
use staff::Role;
use std::sync::Arc;
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status};

use crate::fake_identity::{self, FakeIdentity, PASSWORD};
use crate::world::{self, World, customer, review_request};

/// In the year 2100.
const FAR: u64 = 4_102_444_800;
/// The network address of the browsers.
pub(crate) const ADDRESS: &str = "203.0.113.7";

/// The persons of these tests.
pub(crate) const OWNER: u128 = 1;
pub(crate) const ADMIN: u128 = 2;
pub(crate) const PRACTITIONER: u128 = 3;
pub(crate) const FRONT_DESK: u128 = 4;
pub(crate) const CUSTOMER: u128 = 5;

/// A person's account id.
pub(crate) fn person(number: u128) -> Id<Customer> {
    customer(number)
}

/// A row of the audit log: actor, role, action, subject, outcome.
pub(crate) type AuditRow = (String, String, String, String, String);

pub(crate) struct Panel {
    pub(crate) world: World,
    pub(crate) identity: Arc<FakeIdentity>,
}

impl Panel {
    /// A service where staff unlock with their own password.
    pub(crate) async fn new() -> Result<Self> {
        let (identity, identity_url) = FakeIdentity::serve().await?;
        let world = World::with(|config| {
            config.moderation.identity_url = identity_url;
            config.moderation.identity_api_key = Some(SecretString::from(fake_identity::API_KEY));
        })
        .await;
        let panel = Self { world, identity };
        for (number, role) in [
            (OWNER, Role::Owner),
            (ADMIN, Role::Admin),
            (PRACTITIONER, Role::Practitioner),
            (FRONT_DESK, Role::FrontDesk),
        ] {
            panel.set_role(number, Some(role));
        }
        Ok(panel)
    }

    /// Restarts the service on the same database, with or without a passphrase.
    pub(crate) async fn restart(&mut self, passphrase_hash: Option<String>) {
        let world = &mut self.world;
        world.config.moderation.passphrase_hash = passphrase_hash.map(SecretString::from);
        (world.url, world.http_url) =
            world::start(&world.config, &world.users, &world.shutdown).await;
    }

    pub(crate) fn staff(&self) -> ReviewsStaffServiceClient<Channel> {
        self.world.staff()
    }

    pub(crate) fn public(&self) -> ReviewsServiceClient<Channel> {
        self.world.public()
    }

    /// A call of a browser, as the gateway passes it on: the signed-in person and the grant.
    pub(crate) fn call<T>(&self, who: Option<u128>, grant: &str, message: T) -> Result<Request<T>> {
        let mut request = Request::new(message);
        let metadata = request.metadata_mut();
        metadata.insert("x-caller-address", ADDRESS.parse()?);
        if let Some(number) = who {
            let sub = person(number).uuid().to_string();
            let token = self.world.users.token(&sub, &fake_identity::address(number), FAR)?;
            metadata.insert("authorization", format!("Bearer {token}").parse()?);
        }
        if !grant.is_empty() {
            metadata.insert("x-moderation-grant", grant.parse()?);
        }
        Ok(request)
    }

    /// A call of a member whose session has one factor.
    pub(crate) fn by_one_factor<T>(
        &self,
        number: u128,
        grant: &str,
        message: T,
    ) -> Result<Request<T>> {
        let mut request = self.call(None, grant, message)?;
        let sub = person(number).uuid().to_string();
        let address = fake_identity::address(number);
        let token = self.world.users.one_factor_token(&sub, &address, FAR)?;
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
        Ok(request)
    }

    /// Tries to unlock with a password.
    pub(crate) async fn try_password(
        &self,
        who: Option<u128>,
        password: &str,
    ) -> Result<Result<UnlockResponse, Status>> {
        let request = self.call(who, "", UnlockRequest { password: password.to_owned() })?;
        Ok(self.staff().unlock(request).await.map(Response::into_inner))
    }

    /// Unlocks the panel and returns the grant.
    pub(crate) async fn unlocked(&self, who: u128) -> Result<String> {
        Ok(self.try_password(Some(who), PASSWORD).await??.grant)
    }

    /// Sets or removes an account's role.
    pub(crate) fn set_role(&self, number: u128, role: Option<Role>) {
        self.world.booking.set_role(person(number), role);
    }

    pub(crate) async fn move_clock(&self, seconds: i64) {
        self.world.move_clock(seconds).await;
    }

    /// Publishes a review.
    pub(crate) async fn submit(&self, review: SubmitReviewRequest) -> Result<Review> {
        Ok(self.world.submit(review).await?)
    }

    /// All rows of the audit log, oldest first.
    pub(crate) async fn audit_log(&self) -> Result<Vec<AuditRow>> {
        let rows = sqlx::query_as(
            "select actor, role, action, subject, outcome from audit_log order by audit_id",
        );
        Ok(rows.fetch_all(self.world.store.pool()).await?)
    }

    /// The last row: actor, action and outcome.
    pub(crate) async fn last_act(&self) -> Result<(String, String, String)> {
        let (actor, _role, action, _subject, outcome) =
            self.audit_log().await?.pop().context("something was written down")?;
        Ok((actor, action, outcome))
    }

    /// The content of these tables as text.
    pub(crate) async fn dump(&self, tables: &[&str]) -> Result<String> {
        let mut all = String::new();
        for table in tables {
            let sql = format!("select coalesce(string_agg(t::text, ' '), '') from {table} t");
            let sql = sqlx::AssertSqlSafe(sql);
            let text: String = sqlx::query_scalar(sql).fetch_one(self.world.store.pool()).await?;
            all.push_str(&text);
        }
        Ok(all)
    }
}

/// A review under a new idempotency key.
pub(crate) fn review(name: &str, email: &str, text: &str) -> SubmitReviewRequest {
    SubmitReviewRequest {
        name: name.to_owned(),
        email: email.to_owned(),
        rating: 4,
        text: text.to_owned(),
        ..review_request()
    }
}

/// The status code and reason of a rejected call.
#[track_caller]
pub(crate) fn rejection_of<T: std::fmt::Debug>(answer: Result<T, Status>) -> (Code, String) {
    let status = answer.unwrap_err();
    (status.code(), detail_of(&status).unwrap().reason)
}
