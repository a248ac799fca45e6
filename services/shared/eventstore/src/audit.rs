//! Authorization of staff, and the audit log of their acts, also of refused ones. The log holds ids
//! only, and its rows never change.

use std::sync::Arc;

use kernel::id::Customer;
use kernel::{CommandError, Id, Reject};
use runtime::caller::Users;
use runtime::status::{reject, to_status, unavailable};
use staff::{Level, Refusal, Role, Roles, Staff, StaffError, let_in};
use tonic::Status;
use tonic::metadata::MetadataMap;
use uuid::Uuid;

use crate::error::StoreError;
use crate::event::Metadata;
use crate::store::Store;
use crate::transaction::Tx;

/// The outcome of an act that was not refused.
pub const DONE: &str = "done";

/// An act that an actor attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Act<'a> {
    /// The method, for example "CancelBooking".
    pub action: &'static str,
    /// The id of its subject; empty when it has no single subject.
    pub subject: &'a str,
}

/// The actor as the audit log names it: an account, or a substitute for one. Never a person's name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Actor {
    name: String,
    role: &'static str,
}

impl Actor {
    /// A caller without a name: the request had no token.
    #[must_use]
    pub fn unknown() -> Self {
        Self::default()
    }

    /// A person who knows a shared secret: `word` names the secret, not the person.
    #[must_use]
    pub fn sharing(word: &'static str) -> Self {
        Self { name: word.to_owned(), role: "" }
    }

    /// A signed-in person, with their role where one is known.
    #[must_use]
    pub fn account(id: Id<Customer>, role: Option<Role>) -> Self {
        Self { name: id.to_string(), role: role.map(Role::word).unwrap_or_default() }
    }

    /// The actor's word in events and in the audit log; empty for a caller without a name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The role at this time; empty without one.
    #[must_use]
    pub fn role(&self) -> &'static str {
        self.role
    }
}

impl From<Staff> for Actor {
    fn from(staff: Staff) -> Self {
        Self::account(staff.id, Some(staff.role))
    }
}

/// Whether a text can be nothing but an id: a word and a UUID ("bkg_…", "booking-…"), a date, a
/// range of dates ("2026-11-24/2026-11-30"), or the stream of a practitioner's day
/// ("day-lead-2026-11-24").
fn is_id(text: &str) -> bool {
    let is_word = |text: &str| (1..=12).contains(&text.len()) && text.bytes().all(is_letter);
    let of_a_day = |rest: &str| {
        let date = rest.len().saturating_sub("2026-11-24".len());
        let parts = rest.split_at_checked(date);
        parts.is_some_and(|(who, date)| is_date(date) && who.strip_suffix('-').is_some_and(is_word))
    };
    let of_a_uuid = |(word, uuid): (&str, &str)| is_word(word) && Uuid::try_parse(uuid).is_ok();
    let of_dates = |(first, last)| is_date(first) && is_date(last);
    is_date(text)
        || text.split_once('/').is_some_and(of_dates)
        || text.strip_prefix("day-").is_some_and(of_a_day)
        || text.split_once(['_', '-']).is_some_and(of_a_uuid)
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_lowercase()
}

fn is_date(text: &str) -> bool {
    let is_right = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == "2026-11-24".len() && text.bytes().enumerate().all(is_right)
}

impl Tx {
    /// Records an act of staff, in the transaction in which it happens.
    pub async fn audit(&mut self, staff: Staff, act: Act<'_>) -> Result<(), StoreError> {
        self.audit_as(&staff.into(), act, DONE).await
    }

    /// Records the act of any actor, a member of the practice or not, with its outcome: [`DONE`],
    /// or the reason of the refusal.
    pub async fn audit_as(
        &mut self,
        actor: &Actor,
        act: Act<'_>,
        outcome: &'static str,
    ) -> Result<(), StoreError> {
        // Any caller can cause this row and it is never deleted, so the subject is an id or empty.
        let subject = if is_id(act.subject) { act.subject } else { "" };
        sqlx::query(
            "insert into audit_log (acted_at, actor, role, action, subject, outcome)
             values (clock_now(), $1, $2, $3, $4, $5)",
        )
        .bind(&actor.name)
        .bind(actor.role)
        .bind(act.action)
        .bind(subject)
        .bind(outcome)
        .execute(self.connection())
        .await?;
        Ok(())
    }
}

/// Records an act in a transaction of its own: a refused one, or one that only read personal data.
pub async fn record(
    store: &Store,
    actor: Actor,
    act: Act<'_>,
    outcome: &'static str,
) -> Result<(), StoreError> {
    let (action, subject) = (act.action, act.subject.to_owned());
    let metadata = Metadata::by(actor.name.clone(), None);
    store
        .write(metadata, move |tx| {
            let (actor, subject) = (actor.clone(), subject.clone());
            Box::pin(async move {
                let act = Act { action, subject: &subject };
                tx.audit_as(&actor, act, outcome).await
            })
        })
        .await
}

/// Records the refusal of an account that is no member of the practice, as one row for each account
/// and hour: any account can cause any number of refusals.
pub async fn count_outsider(
    store: &Store,
    person: Id<Customer>,
    action: &'static str,
) -> Result<(), StoreError> {
    let actor = person.to_string();
    store
        .write(Metadata::by(actor.clone(), None), move |tx| {
            let actor = actor.clone();
            Box::pin(async move {
                sqlx::query(
                    "insert into outsider_refusals
                         (hour_at, actor, first_action, last_action, last_at)
                     select date_trunc('hour', now, 'UTC'), $1, $2, $2, now
                     from (select clock_now() as now) as clock
                     on conflict (hour_at, actor) do update
                     set refusals = outsider_refusals.refusals + 1,
                         last_action = excluded.last_action, last_at = excluded.last_at",
                )
                .bind(&actor)
                .bind(action)
                .execute(tx.connection())
                .await?;
                Ok::<(), StoreError>(())
            })
        })
        .await
}

/// Authorizes staff by their role. Records each refusal of a member, and counts those of other
/// accounts.
#[derive(Clone)]
pub struct StaffAuthorizer {
    users: Users,
    roles: Arc<dyn Roles>,
    store: Store,
}

impl std::fmt::Debug for StaffAuthorizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StaffAuthorizer").finish_non_exhaustive()
    }
}

impl StaffAuthorizer {
    /// Authorizes by access tokens that `users` verifies and by the roles of `roles`.
    #[must_use]
    pub fn new(users: Users, roles: Arc<dyn Roles>, store: Store) -> Self {
        Self { users, roles, store }
    }

    /// Authorizes a caller whose role is in `allowed` and whose session has the second factor that
    /// the act's level asks for. Every staff method calls it first. `Tx::audit` records the act
    /// with its changes, `audit_read` one that only reads.
    ///
    /// # Errors
    /// When the caller is not signed in, is no member, has another role or lacks the second factor,
    /// or when the roles cannot be read.
    pub async fn authorize(
        &self,
        metadata: &MetadataMap,
        act: Act<'_>,
        allowed: &[Role],
    ) -> Result<Staff, Status> {
        self.authorize_at(metadata, act, (allowed, Level::of(act.action))).await
    }

    /// Authorizes at another level, for a call of which some forms need more than others.
    ///
    /// # Errors
    /// As for [`Self::authorize`].
    pub async fn authorize_at(
        &self,
        metadata: &MetadataMap,
        act: Act<'_>,
        (allowed, level): (&[Role], Level),
    ) -> Result<Staff, Status> {
        let user = self.users.verify(metadata).await?;
        match let_in(self.roles.as_ref(), &user, metadata, allowed, level).await {
            Ok(staff) => Ok(staff),
            Err(Refusal::Unavailable(error)) => Err(unavailable(error.as_ref())),
            Err(Refusal::Refused(role, refusal)) => {
                let actor = Actor::account(user.customer, role);
                let (name, action, reason) = (actor.name(), act.action, refusal.reason());
                tracing::warn!(actor = name, action, reason, "a caller was refused");
                let written = match refusal {
                    StaffError::StaffOnly => {
                        count_outsider(&self.store, user.customer, action).await
                    }
                    StaffError::RoleNotAllowed
                    | StaffError::SecondFactorRequired
                    | StaffError::SecondFactorTooOld => {
                        record(&self.store, actor, act, reason).await
                    }
                };
                written.map_err(|error| unavailable(&error))?;
                Err(reject(&refusal))
            }
        }
    }

    /// Records that staff have read personal data, which is an act as well.
    ///
    /// # Errors
    /// When it cannot be recorded; the caller then must not show the data.
    pub async fn audit_read(&self, staff: Staff, act: Act<'_>) -> Result<(), Status> {
        let written = record(&self.store, staff.into(), act, DONE).await;
        written.map_err(|error| unavailable(&error))
    }

    /// Records why an act of staff was refused, and returns the refusal. A failure that is no
    /// refusal is not recorded.
    pub async fn audit_rejection<R: Reject>(
        &self,
        staff: Staff,
        act: Act<'_>,
        error: &CommandError<R>,
    ) -> Status {
        if let CommandError::Rejected(rejection) = error {
            let written = record(&self.store, staff.into(), act, rejection.reason()).await;
            if let Err(error) = written {
                return unavailable(&error);
            }
        }
        to_status(error)
    }
}

#[cfg(test)]
mod tests {
    use super::is_id;

    #[test]
    fn only_ids_are_kept_for_ever() {
        for id in [
            "bkg_00000000000040008000000000000001",
            "booking-00000000-0000-4000-8000-000000000001",
            "day-lead-2026-11-24",
            "2026-11-24",
            "2026-11-24/2026-11-30",
        ] {
            assert!(is_id(id), "{id}");
        }
        for text in [
            "",
            "asha@customers.example",
            "asha_verma",
            "day-asha",
            "98765-43210",
            "bkg_",
            "2026-11-24/",
            "2026-11-24/asha",
            "2026-11-24/2026-11-30/2026-12-01",
        ] {
            assert!(!is_id(text), "{text}");
        }
    }
}
