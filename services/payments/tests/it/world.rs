//! The test harness: one payments service with its database, NATS, sandbox and stubs.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use contract::booking::v1::{BookingState, GetBookingFactsResponse};
use contract::convert::to_wire;
use contract::payments::v1::payments_service_client::PaymentsServiceClient;
use contract::payments::v1::payments_staff_service_client::PaymentsStaffServiceClient;
use contract::payments::v1::{
    CheckPaymentRequest, ClaimPaymentRequest, CollectionState, StartPaymentRequest,
    StartPaymentResponse, SubmitCheckoutAnswerRequest,
};
use eventstore::{Recorded, Store, new_id, new_uuid};
use kernel::id::{Booking, Customer};
use kernel::{Id, Money};
use messaging::Nats;
use payments::config::Config;
use payments::providers::razorpay;
use reqwest::{Client, RequestBuilder};
use runtime::Shutdown;
use runtime::caller::{PeerSettings, UserSettings, Users};
use sandbox::{Sandbox, Settings};
use secrecy::SecretString;
use serde_json::{Value, json};
use service::Ports;
use testkit::calls::{call_empty, staff_methods};
use testkit::{TestDatabase, TestKeys, TestUsers, nats_url};
use tokio::task::JoinHandle;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::booking::BookingService;

pub(crate) const PRICE: i64 = 50_000;
/// Minutes from the end of a hold to the session.
const SESSION_AFTER: i64 = 24 * 60;
pub(crate) const KEY: &str = "rzp_test_demo";
pub(crate) const KEY_SECRET: &str = "demo-key-secret";
pub(crate) const WEBHOOK_SECRET: &str = "demo-webhook-secret";
pub(crate) const WEBHOOK_SECRET_BEFORE: &str = "demo-webhook-secret-before";
/// The sandbox's one account.
pub(crate) const ACCOUNT: &str = "acc_SandboxAcc0001";
const ISSUER: &str = "http://127.0.0.1/auth/v1";
/// The year 2096: no test token ends while it is tested.
const FAR_AWAY: u64 = 4_000_000_000;
const IDEMPOTENCY_KEY: &str = "key-of-this-test";

pub(crate) struct World {
    pub(crate) database: TestDatabase,
    pub(crate) store: Store,
    pub(crate) booking: BookingService,
    pub(crate) http: Client,
    /// Where our own webhook port is.
    pub(crate) webhook_url: String,
    pub(crate) sandbox_url: String,
    /// What the service calls with and is called by.
    pub(crate) keys: TestKeys,
    /// A folder of this test.
    pub(crate) folder: PathBuf,
    /// The service itself.
    service: Process,
    nats: Nats,
    pub(crate) client: PaymentsServiceClient<Channel>,
    pub(crate) staff: PaymentsStaffServiceClient<Channel>,
    users: TestUsers,
    shutdown: Shutdown,
    sandbox: JoinHandle<Result<()>>,
}

/// The service as it runs inside the test.
#[derive(Debug)]
pub(crate) struct Process {
    url: String,
    shutdown: Shutdown,
    task: JoinHandle<Result<()>>,
}

impl Process {
    fn start(
        url: String,
        (ports, shutdown): (Ports, Shutdown),
        (config, users, nats): (Config, Users, Nats),
    ) -> Self {
        let (config, stop) = (Config { nats, ..config }, shutdown.clone());
        let serving = async move { payments::serve(ports, &config, users, stop).await };
        Self { url, shutdown, task: tokio::spawn(serving) }
    }

    /// Stops it and waits until it has.
    pub(crate) async fn stop(self) -> Result<()> {
        self.shutdown.trigger();
        self.task.await?
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.service.shutdown.trigger();
        self.shutdown.trigger();
        self.sandbox.abort();
        // A folder that stays behind is the system's to clean up.
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// A booking of a customer whose time is held.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held {
    pub(crate) id: Id<Booking>,
    pub(crate) customer: Id<Customer>,
}

impl World {
    /// Everything, with the provider's webhooks coming to our port.
    pub(crate) async fn new() -> Result<Self> {
        Self::build(true).await
    }

    /// Everything, with a provider whose webhooks never arrive.
    pub(crate) async fn without_webhooks() -> Result<Self> {
        Self::build(false).await
    }

    async fn build(webhooks: bool) -> Result<Self> {
        let shutdown = Shutdown::new();
        let keys = TestKeys::new(&["booking", "payments", "notifications"])?;
        let users = TestUsers::new(ISSUER)?;
        let database = TestDatabase::new(&payments::MIGRATIONS).await?;
        let booking = BookingService::start(&keys.peers("booking")?, &shutdown).await?;
        let stop = Shutdown::new();
        let ports = bind_ports(&stop).await?;
        let (grpc, http) = ports.addresses()?;
        let webhook_url = format!("http://{http}/webhooks/razorpay");
        let folder = std::env::temp_dir().join(format!("payments-{}", new_uuid().simple()));
        std::fs::create_dir_all(&folder)?;
        let settings = Settings::for_tests(&folder, webhooks.then(|| webhook_url.clone()));
        let sandbox = Sandbox::bind(settings).await?;
        let sandbox_url = sandbox.url().to_owned();
        let sandbox = tokio::spawn(sandbox.serve());
        let addresses = (sandbox_url.as_str(), booking.address);
        let config = config(addresses, &database, &keys, &usual_practice())?;
        let known_users = Users::with_keys(&config.users, &users.jwks())
            .map_err(|error| anyhow::anyhow!(error))?;
        let nats = Nats::in_room(nats_url()?, &format!("t{}", new_uuid().simple()));
        let (url, room) = (format!("http://{grpc}"), nats.clone());
        let channel = runtime::channel::connect_lazy(&url)?;
        let service = Process::start(url, (ports, stop), (config, known_users, room));
        Ok(Self {
            store: database.store()?,
            database,
            booking,
            http: Client::builder().no_proxy().build()?,
            webhook_url,
            sandbox_url,
            keys,
            folder,
            service,
            nats,
            client: PaymentsServiceClient::new(channel.clone()),
            staff: PaymentsStaffServiceClient::new(channel),
            users,
            shutdown,
            sandbox,
        })
    }

    /// One more process of the service on the same database, with the practice's files of a folder.
    pub(crate) async fn another(&self, practice: &Path) -> Result<Process> {
        let shutdown = Shutdown::new();
        let ports = bind_ports(&shutdown).await?;
        let (grpc, _http) = ports.addresses()?;
        let addresses = (self.sandbox_url.as_str(), self.booking.address);
        let config = config(addresses, &self.database, &self.keys, practice)?;
        let users = Users::with_keys(&config.users, &self.users.jwks())
            .map_err(|error| anyhow::anyhow!(error))?;
        let nats = self.nats.clone();
        Ok(Process::start(format!("http://{grpc}"), (ports, shutdown), (config, users, nats)))
    }

    /// Another process replaces this one; webhooks still go to the first one's port.
    pub(crate) async fn replace(&mut self, process: Process) -> Result<()> {
        let channel = runtime::channel::connect_lazy(&process.url)?;
        self.client = PaymentsServiceClient::new(channel.clone());
        self.staff = PaymentsStaffServiceClient::new(channel);
        std::mem::replace(&mut self.service, process).stop().await
    }

    /// Where the service is called.
    pub(crate) fn url(&self) -> &str {
        &self.service.url
    }

    /// Puts the clock so many seconds ahead of the machine's, once the service is at rest.
    pub(crate) async fn move_clock(&self, seconds: i64) -> Result<()> {
        testkit::until_at_rest(&self.store).await?;
        self.database.move_clock(seconds).await
    }

    /// Stops the service; everything around it goes on.
    pub(crate) async fn stop(&mut self) -> Result<()> {
        self.service.shutdown.trigger();
        (&mut self.service.task).await?
    }

    /// A new booking that waits for its money.
    pub(crate) async fn held(&self) -> Result<Held> {
        self.held_by(new_id()).await
    }

    /// A new booking of this customer.
    pub(crate) async fn held_by(&self, customer: Id<Customer>) -> Result<Held> {
        let held = Held { id: new_id(), customer };
        let until = self.store.now().await?.plus_minutes(15);
        self.booking.knows(GetBookingFactsResponse {
            booking_id: held.id.to_string(),
            customer_id: held.customer.to_string(),
            price: Some(Money::inr(PRICE).into()),
            held_until_at: Some(to_wire(until)),
            state: BookingState::Held.into(),
            starts_at: Some(to_wire(until.plus_minutes(SESSION_AFTER))),
            ..GetBookingFactsResponse::default()
        });
        Ok(held)
    }

    pub(crate) fn request<T>(&self, customer: Id<Customer>, message: T) -> Result<Request<T>> {
        let user = customer.uuid().to_string();
        let token = self.users.token(&user, "somebody@example.com", FAR_AWAY)?;
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
        Ok(request)
    }

    /// What the service's staff methods answer to a member with one factor, by method.
    pub(crate) async fn answers_to_one_factor(
        &self,
        person: Id<Customer>,
    ) -> Result<Vec<(String, Result<(), Status>)>> {
        let user = person.uuid().to_string();
        let token = self.users.one_factor_token(&user, "somebody@example.com", FAR_AWAY)?;
        let mut answers = Vec::new();
        for method in staff_methods("payments") {
            let answer = call_empty(&self.service.url, &method, &token).await?;
            answers.push((method, answer));
        }
        Ok(answers)
    }

    pub(crate) async fn start_as(
        &self,
        customer: Id<Customer>,
        booking_id: &str,
        key: &str,
    ) -> Result<Result<StartPaymentResponse, Status>> {
        let asked = StartPaymentRequest {
            booking_id: booking_id.to_owned(),
            idempotency_key: key.to_owned(),
            ..StartPaymentRequest::default()
        };
        let request = self.request(customer, asked)?;
        let answer = self.client.clone().start_payment(request).await;
        Ok(answer.map(tonic::Response::into_inner))
    }

    pub(crate) async fn try_start(
        &self,
        held: Held,
    ) -> Result<Result<StartPaymentResponse, Status>> {
        self.start_as(held.customer, &held.id.to_string(), IDEMPOTENCY_KEY).await
    }

    pub(crate) async fn start(&self, held: Held) -> Result<StartPaymentResponse> {
        Ok(self.try_start(held).await??)
    }

    pub(crate) async fn answer(
        &self,
        held: Held,
        payment_id: &str,
        signature: &str,
    ) -> Result<Result<CollectionState, Status>> {
        let asked = SubmitCheckoutAnswerRequest {
            booking_id: held.id.to_string(),
            payment_id: payment_id.to_owned(),
            signature: signature.to_owned(),
            idempotency_key: IDEMPOTENCY_KEY.to_owned(),
        };
        let request = self.request(held.customer, asked)?;
        let answer = self.client.clone().submit_checkout_answer(request).await;
        Ok(answer.map(|answer| answer.into_inner().state()))
    }

    pub(crate) async fn check(&self, held: Held) -> Result<Result<CollectionState, Status>> {
        let asked = CheckPaymentRequest { booking_id: held.id.to_string() };
        let request = self.request(held.customer, asked)?;
        let answer = self.client.clone().check_payment(request).await;
        Ok(answer.map(|answer| answer.into_inner().state()))
    }

    pub(crate) async fn claim(&self, held: Held) -> Result<Result<CollectionState, Status>> {
        let asked = ClaimPaymentRequest {
            booking_id: held.id.to_string(),
            idempotency_key: IDEMPOTENCY_KEY.to_owned(),
        };
        let request = self.request(held.customer, asked)?;
        let answer = self.client.clone().claim_payment(request).await;
        Ok(answer.map(|answer| answer.into_inner().state()))
    }

    /// A new member of the practice.
    pub(crate) fn employ(&self, role: &str) -> Id<Customer> {
        let person = new_id::<Customer>();
        self.booking.employs(&person.to_string(), role);
        person
    }

    /// A booking whose money was verified, and its payment at the provider.
    pub(crate) async fn paid(&self) -> Result<(Held, String)> {
        let held = self.held().await?;
        let order = self.start(held).await?.order_id;
        let paid = self.pay(&order, json!({})).await?;
        ensure!(self.check(held).await?? == CollectionState::Paid, "it is paid");
        let payment_id = paid.get("payment_id").and_then(Value::as_str).context("an id")?;
        Ok((held, payment_id.to_owned()))
    }

    /// Makes an external refund, as on the provider's own pages.
    pub(crate) async fn refund_externally(&self, payment_id: &str, amount: i64) -> Result<Value> {
        let path = format!("/v1/payments/{payment_id}/refund");
        self.tell(&path, &json!({ "amount": amount })).await
    }

    /// Asks the sandbox's provider or its controls.
    pub(crate) async fn ask(&self, request: RequestBuilder) -> Result<Value> {
        let response = request.basic_auth(KEY, Some(KEY_SECRET)).send().await?;
        let status = response.status();
        let body: Value = response.json().await?;
        ensure!(status.is_success(), "{status}: {body}");
        Ok(body)
    }

    pub(crate) async fn tell(&self, path: &str, body: &Value) -> Result<Value> {
        self.ask(self.http.post(format!("{}{path}", self.sandbox_url)).json(body)).await
    }

    /// Pays an order at the sandbox; `more` says how.
    pub(crate) async fn pay(&self, order_id: &str, more: Value) -> Result<Value> {
        let mut wanted = json!({ "order_id": order_id });
        let fields = wanted.as_object_mut().context("an object")?;
        fields.extend(more.as_object().context("an object")?.clone());
        self.tell("/api/pay", &wanted).await
    }

    /// An attempt by UPI that fails and whose payer may still agree.
    pub(crate) async fn pay_late(&self, order_id: &str) -> Result<Value> {
        let hour = 3_600_000;
        self.pay(order_id, json!({ "outcome": "late", "delay_ms": hour, "method": "upi" })).await
    }

    /// The payer of such an attempt agrees.
    pub(crate) async fn agree_late(&self, attempt: &Value) -> Result<()> {
        let body = json!({ "payment_id": attempt["payment_id"] });
        self.tell("/api/late", &body).await.map(drop)
    }

    pub(crate) async fn fault(&self, fault: Value) -> Result<()> {
        self.tell("/api/faults", &fault).await.map(drop)
    }

    pub(crate) async fn clear_faults(&self) -> Result<()> {
        let url = format!("{}/api/faults", self.sandbox_url);
        self.http.delete(url).send().await?.error_for_status()?;
        Ok(())
    }

    /// The rows of one kind in the provider's book.
    pub(crate) async fn provider_has(&self, kind: &str) -> Result<Vec<Value>> {
        let book = self.ask(self.http.get(format!("{}/api/book", self.sandbox_url))).await?;
        Ok(book.get(kind).and_then(Value::as_array).context("a list")?.clone())
    }

    pub(crate) async fn events(&self, held: Held) -> Result<Vec<Recorded>> {
        Ok(self.store.load(&format!("collection-{}", held.id.uuid())).await?)
    }

    /// The last words of the events' names.
    pub(crate) async fn names(&self, held: Held) -> Result<Vec<String>> {
        let events = self.events(held).await?;
        let name = |event: &Recorded| event.event_type.rsplit('.').next().map(str::to_owned);
        Ok(events.iter().filter_map(name).collect())
    }

    pub(crate) async fn count(&self, held: Held, name: &str) -> Result<usize> {
        Ok(self.names(held).await?.iter().filter(|it| *it == name).count())
    }

    /// Waits until an event of this name has been recorded.
    pub(crate) async fn until(&self, held: Held, name: &str) -> Result<Recorded> {
        testkit::until(name, async || {
            let events = self.events(held).await?;
            Ok(events.into_iter().find(|event| event.event_type.ends_with(name)))
        })
        .await
    }

    /// One value of one row.
    pub(crate) async fn number(&self, sql: &'static str) -> Result<i64> {
        Ok(sqlx::query_scalar(sql).fetch_one(self.store.pool()).await?)
    }

    /// Waits until a statement counts so many rows.
    pub(crate) async fn until_number(&self, sql: &'static str, wanted: i64) -> Result<()> {
        testkit::until(sql, async || Ok((self.number(sql).await? == wanted).then_some(()))).await
    }

    /// Waits until the provider has refused this many refunds for now, so that each is due again an
    /// hour from now, whatever the clock does next.
    pub(crate) async fn until_refused_for_now(&self, refunds: i64) -> Result<()> {
        let waiting = "select count(*) from timers where kind = 'refund'
                       and payload->>'step' = '1'";
        self.until_number(waiting, refunds).await
    }

    /// Waits until every webhook that was sent has arrived and was folded.
    pub(crate) async fn until_quiet(&self) -> Result<()> {
        testkit::until("all webhooks are folded", async || {
            let sent = self.provider_has("webhooks").await?;
            let arrived = sent.iter().all(|it| it.get("state") != Some(&json!("waiting")));
            let unfolded = "select count(*) from webhook_inbox where folded_at is null";
            Ok((arrived && self.number(unfolded).await? == 0).then_some(()))
        })
        .await
    }
}

/// The practice's files as the repository has them.
pub(crate) fn usual_practice() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice")
}

async fn bind_ports(shutdown: &Shutdown) -> Result<Ports> {
    let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
    Ok(Ports::bind(loopback, loopback, shutdown).await?)
}

fn config(
    (sandbox_url, booking): (&str, SocketAddr),
    database: &TestDatabase,
    keys: &TestKeys,
    practice: &Path,
) -> Result<Config> {
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
    Ok(Config {
        listen: nowhere,
        http_listen: nowhere,
        database_url: SecretString::from(database.url.clone()),
        nats: Nats::new(nats_url()?),
        practice_dir: practice.to_owned(),
        booking_url: format!("http://{booking}"),
        provider: razorpay::Settings {
            url: format!("{sandbox_url}/v1"),
            key_id: KEY.to_owned(),
            key_secret: SecretString::from(KEY_SECRET),
            webhook_secret: SecretString::from(WEBHOOK_SECRET),
            webhook_secret_previous: Some(SecretString::from(WEBHOOK_SECRET_BEFORE)),
            link_return_url: Some("http://127.0.0.1:1/pay/link-return".to_owned()),
            account_id: Some(ACCOUNT.to_owned()),
        },
        checkout_script_url: format!("{sandbox_url}/v1/checkout.js"),
        probe: None,
        users: UserSettings {
            jwks_url: "http://127.0.0.1:1/jwks.json".to_owned(),
            issuer: ISSUER.to_owned(),
            identity_url: None,
        },
        peers: PeerSettings {
            private_key: SecretString::from(keys.private_key("payments")?),
            public_keys: keys.public_keys(),
        },
    })
}

/// Code and reason of a refusal.
#[track_caller]
pub(crate) fn assert_refused<T: std::fmt::Debug>(
    answer: Result<T, Status>,
    code: Code,
    reason: &str,
) {
    let seen = answer.map_err(|status| {
        let detail = runtime::status::detail_of(&status).unwrap_or_default();
        (status.code(), detail.reason)
    });
    let Err(seen) = seen else { unreachable!("it is answered: {seen:?}") };
    assert_eq!(seen, (code, reason.to_owned()));
}
