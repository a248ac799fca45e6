//! A visitor of the website: calls the public service as the gateway does, on the same database as
//! the test's own service.

use anyhow::{Context as _, Result};
use contract::notifications::v1::notifications_service_client::NotificationsServiceClient;
use contract::notifications::v1::{
    RequestMeditationGuideRequest, ResubscribeRequest, SendContactMessageRequest,
    UnsubscribeRequest,
};
use eventstore::new_uuid;
use notifications::forms::Forms;
use notifications::grpc::public::PublicHandler;
use notifications::mails::addresses::Addresses;
use runtime::channel;
use runtime::server::Server;
use runtime::status::detail_of;
use serde_json::Value;
use testkit::until;
use tonic::service::Routes;
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::world::{ADDRESS_KEY, World};

pub(crate) const NAME: &str = "Canary-Nalini Rao";
pub(crate) const EMAIL: &str = "canary-nalini@example.org";
pub(crate) const MESSAGE: &str = "Canary: I sleep badly.\nWhich session would help me?";

/// A visitor's browser.
#[derive(Clone)]
pub(crate) struct Visitor {
    client: NotificationsServiceClient<Channel>,
}

/// An answer: empty on success.
pub(crate) type Answer = Result<(), Refusal>;

/// A refusal as the website sees it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: Code,
    pub(crate) reason: String,
    pub(crate) field: String,
    pub(crate) sentence: String,
}

impl Visitor {
    pub(crate) async fn new(world: &World) -> Result<Self> {
        let server = Server::bind("127.0.0.1:0".parse()?, &world.shutdown).await?;
        let url = format!("http://{}", server.address()?);
        let addresses = Addresses::new(&ADDRESS_KEY.to_owned().into())?;
        let public = PublicHandler::service(Forms {
            store: world.store.clone(),
            addresses,
            contact_limit: world.config().contact_limit,
        });
        tokio::spawn(server.serve(Routes::new(public)));
        Ok(Self { client: NotificationsServiceClient::new(channel::connect_lazy(&url)?) })
    }

    pub(crate) async fn send_message(&self, message: SendContactMessageRequest) -> Answer {
        answer(self.client.clone().send_contact_message(message).await)
    }

    pub(crate) async fn request_guide(
        &self,
        guide_request: RequestMeditationGuideRequest,
    ) -> Answer {
        answer(self.client.clone().request_meditation_guide(guide_request).await)
    }

    pub(crate) async fn unsubscribes(&self, token: &str) -> Answer {
        let request = UnsubscribeRequest { token: token.to_owned() };
        answer(self.client.clone().unsubscribe(request).await)
    }

    pub(crate) async fn resubscribes(&self, token: &str) -> Answer {
        let request = ResubscribeRequest { token: token.to_owned() };
        answer(self.client.clone().resubscribe(request).await)
    }
}

fn answer<T>(answer: Result<T, Status>) -> Answer {
    match answer {
        Ok(_empty) => Ok(()),
        Err(status) => {
            let detail = detail_of(&status).unwrap_or_default();
            Err(Refusal {
                code: status.code(),
                reason: detail.reason,
                field: detail.field,
                sentence: status.message().to_owned(),
            })
        }
    }
}

/// A message as the form sends it, with a key of its own.
pub(crate) fn message() -> SendContactMessageRequest {
    SendContactMessageRequest {
        name: NAME.to_owned(),
        email: EMAIL.to_owned(),
        message: MESSAGE.to_owned(),
        idempotency_key: new_uuid().to_string(),
        website: String::new(),
    }
}

/// A request for the guide as the form sends it, with a key of its own.
pub(crate) fn guide_request() -> RequestMeditationGuideRequest {
    RequestMeditationGuideRequest {
        email: EMAIL.to_owned(),
        idempotency_key: new_uuid().to_string(),
        website: String::new(),
    }
}

/// Why it was refused, in three words: code, reason, field.
#[track_caller]
pub(crate) fn refused(answer: Answer) -> (Code, String, String) {
    let refusal = answer.unwrap_err();
    (refusal.code, refusal.reason, refusal.field)
}

/// The same in the form in which tests expect it.
pub(crate) fn because(code: Code, reason: &str, field: &str) -> (Code, String, String) {
    (code, reason.to_owned(), field.to_owned())
}

/// One header of a mail, unfolded.
pub(crate) fn header<'m>(mail: &'m Value, name: &str) -> Option<&'m str> {
    let headers = mail["headers"].as_array().unwrap();
    let same = |it: &&Value| it["name"].as_str().unwrap().eq_ignore_ascii_case(name);
    headers.iter().find(same).map(|it| it["value"].as_str().unwrap())
}

/// How many rows a table of this service has.
pub(crate) async fn count(world: &World, table: &str) -> Result<i64> {
    let sql = format!("select count(*) from {table}");
    Ok(sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(world.store.pool()).await?)
}

/// Every row of every table as text, without the two tables of form submissions.
pub(crate) async fn everything_else(world: &World) -> Result<String> {
    let tables: Vec<String> = sqlx::query_scalar(
        "select tablename::text from pg_tables
         where schemaname = 'public'
           and tablename not in ('contact_messages', 'guide_requests', '_sqlx_migrations')",
    )
    .fetch_all(world.store.pool())
    .await?;
    let mut all = String::new();
    for table in tables {
        let sql = format!("select coalesce(string_agg(t::text, ' '), '') from {table} t");
        let text: String = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
            .fetch_one(world.store.pool())
            .await
            .with_context(|| format!("{table} cannot be read"))?;
        all.push_str(&text);
    }
    Ok(all.to_lowercase())
}

/// Waits until a table has no row left, as after an erasure.
pub(crate) async fn until_empty(world: &World, table: &str) -> Result<()> {
    until(
        &format!("{table} is empty"),
        async || Ok((count(world, table).await? == 0).then_some(())),
    )
    .await
}

/// Waits until an erasure's timer has fired and looks again later.
pub(crate) async fn until_looked_at(world: &World, kind: &str) -> Result<()> {
    let due = format!("timers where kind = '{kind}' and due_at <= clock_now()");
    until_empty(world, &due).await
}
