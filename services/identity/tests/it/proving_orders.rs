//! Two people and one address: a stranger who prepares accounts for it, and its owner. In every
//! order of their acts, what the stranger prepared does not open the account in which the owner
//! has proved the address.

use futures::future::join_all;
use identity::repository::codes::Purpose;
use identity::tokens::secrets::Digits;
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::authenticator::Authenticator;
use crate::factors::App;
use crate::passkeys;
use crate::test_server::{Answer, TestServer, claims};

const OWN_PASSWORD: &str = "a noisy market";
/// More at once would wait too long for a thread that hashes passwords, which the service refuses.
const AT_ONCE: usize = 4;

/// What the two do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    /// The stranger signs up with the owner's address and adds whatever the session may add.
    Prepare,
    /// The stranger changes an own account to that address, and redeems the own half.
    Change,
    /// The stranger asks for a code to that address.
    Ask,
    /// The stranger adds to the sessions at hand what they may add.
    Add,
    /// The owner signs in by a mailed code.
    Code,
    /// The owner recovers the account by a mailed code.
    Recover,
    /// The owner signs up and types the code.
    SignUp,
    /// The owner presses the button of every mail.
    Links,
    /// The owner types the digits of every mail as those of a change.
    Digits,
}

const ACTS: [Act; 9] = [
    Act::Prepare,
    Act::Change,
    Act::Ask,
    Act::Add,
    Act::Code,
    Act::Recover,
    Act::SignUp,
    Act::Links,
    Act::Digits,
];

/// Everything that the stranger has got so far.
#[derive(Default)]
struct Stranger {
    sessions: Vec<Answer>,
    passkeys: Vec<Authenticator>,
    recovery_codes: Vec<String>,
}

struct Play<'a> {
    server: &'a TestServer,
    owner: String,
    stranger: String,
    has: Stranger,
    /// Accounts in which the owner has proved the address.
    proved: Vec<String>,
}

impl Play<'_> {
    async fn act(&mut self, act: Act) {
        match act {
            Act::Prepare => {
                let session = self.server.sign_up(&self.owner).await;
                if !session.text("/access_token").is_empty() {
                    self.has.sessions.push(session);
                }
                self.add().await;
            }
            Act::Change => self.change().await,
            Act::Ask => drop(self.server.post("/otp", json!({ "email": self.owner })).await),
            Act::Add => self.add().await,
            Act::Code => {
                self.server.post("/otp", json!({ "email": self.owner })).await;
                self.type_newest().await;
            }
            Act::Recover => {
                self.server.post("/recover", json!({ "email": self.owner })).await;
                self.type_newest().await;
            }
            Act::SignUp => {
                let body = json!({ "email": self.owner, "password": OWN_PASSWORD });
                self.server.post("/signup", body).await;
                self.type_newest().await;
            }
            Act::Links => {
                for (kind, token, _) in self.mails(&self.owner).await {
                    let shown = json!({ "type": kind, "token_hash": token });
                    let answer = self.server.post("/verify", shown).await;
                    self.note(&answer);
                }
            }
            Act::Digits => {
                for (_, _, code) in self.mails(&self.owner).await {
                    let answer = self.server.verify("email_change", &self.owner, &code).await;
                    self.note(&answer);
                }
            }
        }
    }

    /// What the session of the owner says, if there is one.
    fn note(&mut self, answer: &Answer) {
        let token = answer.text("/access_token");
        if answer.status.is_success() && !token.is_empty() {
            let told = claims(&token);
            assert_eq!(told["email"], self.owner.as_str());
            assert_eq!(told["email_verified"], true);
            self.proved.push(answer.text("/user/id"));
        }
    }

    /// Links and digits of all mails to an address that still work, newest first.
    async fn mails(&self, address: &str) -> Vec<(&'static str, String, String)> {
        let rows: Vec<(Uuid, String, i16)> = sqlx::query_as(
            "select code_id, purpose, digits from codes join users using (user_id)
             where coalesce(sent_to, email) = $1 and codes.expires_at > clock_now()
             order by codes.created_at desc, code_id desc",
        )
        .bind(address)
        .fetch_all(self.server.app.store.pool())
        .await
        .unwrap();
        let codes = &self.server.app.codes;
        rows.into_iter()
            .map(|(id, purpose, digits)| {
                let kind = Purpose::from_word(&purpose).unwrap().link_type();
                (kind, codes.link_token(id), codes.digits(id, Digits::of_count(digits)))
            })
            .collect()
    }

    async fn type_newest(&mut self) {
        let mails = self.mails(&self.owner).await;
        let Some((_, _, code)) = mails.into_iter().next() else { return };
        for kind in ["email", "recovery"] {
            let answer = self.server.verify(kind, &self.owner, &code).await;
            self.note(&answer);
        }
    }

    async fn change(&mut self) {
        let signed_up = self.server.sign_up(&self.stranger).await.ok();
        let mails = self.mails(&self.stranger).await;
        let session = match mails.first() {
            Some((_, _, code)) => self.server.verify_own(&signed_up, code).await.ok(),
            None => signed_up,
        };
        let token = session.text("/access_token");
        self.has.sessions.push(session);
        self.add().await;
        let token = self.has.sessions.last().map_or(token, |last| last.text("/access_token"));
        let asked =
            self.server.call(Method::PUT, "/user", &token, json!({ "email": self.owner })).await;
        if !asked.status.is_success() {
            return;
        }
        for (kind, _, code) in self.mails(&self.stranger).await {
            if kind == "email_change" {
                let shown = json!({ "type": kind, "email": self.stranger, "token": code });
                self.server.call(Method::POST, "/verify", &token, shown).await;
            }
        }
    }

    /// Adds a passkey, an app and recovery codes to the newest session, as far as it may.
    async fn add(&mut self) {
        let Some(session) = self.has.sessions.last() else { return };
        let token = session.text("/access_token");
        // Whatever a session needs for it: earlier versions asked for no mailed code.
        self.server.note_code(&token).await;
        if let Some(passkey) = passkeys::try_add(self.server, &token).await {
            self.has.passkeys.push(passkey);
        }
        let Some(app) = App::try_enroll(self.server, &token).await else { return };
        let raised = app.raise(self.server, &token, 0).await;
        if !raised.status.is_success() {
            return;
        }
        let strong = raised.text("/access_token");
        self.has.sessions.push(raised);
        let path = "/factors/recovery-codes";
        let made = self.server.call(Method::POST, path, &strong, json!({})).await;
        let codes = made.body["codes"].as_array().cloned().unwrap_or_default();
        let texts = codes.iter().filter_map(Value::as_str).map(str::to_owned);
        self.has.recovery_codes.extend(texts);
    }

    /// Every way of the stranger, and the account that it opens.
    async fn opened(&mut self) -> Vec<(&'static str, String)> {
        let mut opened = Vec::new();
        for session in &self.has.sessions {
            let user = self.server.user(&session.text("/access_token")).await;
            opened.push(("session", user.text("/id")));
            let refreshed = self.server.refresh(&session.text("/refresh_token")).await;
            opened.push(("refresh token", refreshed.text("/user/id")));
        }
        for passkey in &mut self.has.passkeys {
            let session = passkeys::sign_in(self.server, passkey).await;
            opened.push(("passkey", session.text("/user/id")));
        }
        opened.retain(|(_, account)| !account.is_empty());
        opened
    }
}

/// How many things besides sessions open an account.
pub(crate) async fn left_in(server: &TestServer, account: &str) -> i64 {
    sqlx::query_scalar(
        "select (select count(password_hash) from users where user_id = $1::uuid)
              + (select count(*) from factors where user_id = $1::uuid)
              + (select count(*) from passkeys where user_id = $1::uuid)
              + (select count(*) from recovery_codes where user_id = $1::uuid)
              + (select count(*) from flow_states where user_id = $1::uuid
                                                  and used_at is null)",
    )
    .bind(account)
    .fetch_one(server.app.store.pool())
    .await
    .unwrap()
}

/// Plays one order with addresses of its own.
async fn play(server: &TestServer, number: usize, acts: &[Act]) -> (bool, Option<String>) {
    let mut play = Play {
        server,
        owner: format!("owner{number}@example.test"),
        stranger: format!("stranger{number}@example.test"),
        has: Stranger::default(),
        proved: Vec::new(),
    };
    for act in acts {
        play.act(*act).await;
    }
    let opened = play.opened().await;
    for account in &play.proved {
        if let Some((way, _)) = opened.iter().find(|(_, opened)| opened == account) {
            let wrong = format!("{acts:?}: the stranger's {way} opens the owner's account");
            return (true, Some(wrong));
        }
        let left = left_in(server, account).await;
        if left > 0 {
            return (true, Some(format!("{acts:?}: {left} things of the stranger are left")));
        }
    }
    (!play.proved.is_empty(), None)
}

/// All orders of up to three different acts; of three, those that begin with what a stranger
/// prepares.
fn orders() -> Vec<Vec<Act>> {
    let mut all: Vec<Vec<Act>> = vec![vec![]];
    let mut longest = all.clone();
    for _ in 0..3 {
        longest = longest
            .iter()
            .flat_map(|order| {
                let others = ACTS.into_iter().filter(|act| !order.contains(act));
                others.map(|act| [order.as_slice(), &[act]].concat()).collect::<Vec<_>>()
            })
            .collect();
        all.extend(longest.clone());
    }
    let begins = |order: &Vec<Act>| matches!(order.first(), Some(Act::Prepare | Act::Change));
    all.retain(|order| order.len() < 3 || begins(order));
    all
}

async fn all_orders(server: TestServer) {
    let (orders, server) = (orders(), &server);
    let (mut wrong, mut proved) = (Vec::new(), 0);
    for (batch, some) in orders.chunks(AT_ONCE).enumerate() {
        let plays = some.iter().enumerate();
        let plays = plays.map(|(at, acts)| play(server, batch * AT_ONCE + at, acts));
        for (is_proved, left) in join_all(plays).await {
            proved += usize::from(is_proved);
            wrong.extend(left);
        }
    }
    assert!(proved > orders.len() / 4, "the owner came in only {proved} times");
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), orders.len());
}

#[tokio::test]
async fn nothing_of_a_stranger_opens_a_proved_account_in_any_order() {
    all_orders(TestServer::with_confirmation().await).await;
}

#[tokio::test]
async fn nor_where_accounts_begin_without_a_code() {
    all_orders(TestServer::without_confirmation().await).await;
}
