//! `sukoon doctor` and `sukoon doctor payments`: checks of the practice, each with advice.
use crate::arguments::Booking;
use crate::dates::Zone;
use crate::labels::{list, text};
use crate::money;
use crate::outcome::Outcome;
use crate::references;
use crate::session::Session;
use crate::table::Table;
use anyhow::Result;
use machine::output;
use serde_json::{Value, json};

#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {
    #[command(subcommand)]
    part: Option<Part>,
}

#[derive(Debug, clap::Subcommand)]
enum Part {
    /// Whether the payment provider is set up, shown by a payment and its refund.
    Payments(Payments),
}

#[derive(Debug, clap::Args)]
struct Payments {
    /// The booking whose payment shows it; the newest payment unless you say.
    booking: Option<Booking>,
}

pub(crate) async fn run(session: &Session, doctor: &Doctor) -> Result<Outcome> {
    match &doctor.part {
        None => whole(session).await,
        Some(Part::Payments(of)) => payments(session, of.booking.as_ref()).await,
    }
}

/// The result of one check.
struct Finding {
    name: &'static str,
    /// The check found no problem.
    is_good: bool,
    message: String,
}

impl Finding {
    fn new(name: &'static str, is_good: bool, good: String, otherwise: &str) -> Self {
        let message = if is_good { good } else { otherwise.to_owned() };
        Self { name, is_good, message }
    }
}

/// Checks every service, the browsers' reports and the payment provider.
async fn whole(session: &Session) -> Result<Outcome> {
    let health = session.health().await?;
    let provider = check_provider(session, "").await?;
    if session.options.json {
        output::line(json!({ "health": health, "provider": provider }));
        return Ok(Outcome::Complete);
    }
    let mut table = Table::new(&["", "PART", "STATE"]);
    let parts = health["parts"].as_object().into_iter().flatten();
    let mut is_good = true;
    for (name, state) in parts {
        let is_ready = state == "ready";
        is_good &= is_ready;
        table.row([mark(is_ready), name.clone(), text(state)]);
    }
    if health["parts"].is_null() {
        is_good = health["ready"] == true;
        let message = "which part it is, `sukoon doctor` knows on the practice's machine";
        let message = if is_good { "ready" } else { message };
        table.row([mark(is_good), "practice".to_owned(), message.to_owned()]);
    }
    for (kind, count) in health["refused_by_policy"].as_object().into_iter().flatten() {
        is_good = false;
        let message = format!(
            "refused by the booking page's content policy {count} times: if the checkout needs it, \
             name it in GATEWAY_CHECKOUT_ORIGINS"
        );
        table.row([mark(false), kind.clone(), message]);
    }
    table.show("No part is known.");
    output::line("");
    let services = session.call("catalogue.v1.CatalogueService/ListServices", &json!({})).await?;
    is_good &= show_packages(&services);
    let payments = show(&Zone::of(session).await?, &provider);
    Ok(if is_good && payments == Outcome::Complete { Outcome::Complete } else { Outcome::Partial })
}

/// Checks the payment provider's setup with the help of one payment and its refund.
async fn payments(session: &Session, booking: Option<&Booking>) -> Result<Outcome> {
    let id = match booking {
        Some(booking) => references::id_of(session, booking).await?,
        None => String::new(),
    };
    let answer = check_provider(session, &id).await?;
    if session.options.json {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    Ok(show(&Zone::of(session).await?, &answer))
}

async fn check_provider(session: &Session, booking_id: &str) -> Result<Value> {
    let method = "payments.v1.PaymentsStaffService/CheckProvider";
    Ok(session.call(method, &json!({ "bookingId": booking_id })).await?)
}

fn mark(is_good: bool) -> String {
    if is_good { "ok" } else { "NO" }.to_owned()
}

fn show(zone: &Zone, answer: &Value) -> Outcome {
    let mut table = Table::new(&["", "PAYMENTS", "STATE"]);
    let mut findings = setup_findings(zone, answer);
    findings.extend(payment_findings(&answer["payment"]));
    let is_good = findings.iter().all(|finding| finding.is_good);
    for Finding { name, is_good, message } in findings {
        table.row([mark(is_good), name.to_owned(), message]);
    }
    table.show("");
    if is_good { Outcome::Complete } else { Outcome::Partial }
}

/// Shows the packages of the practice's files, if there are any; says whether none is dearer than
/// its sessions.
fn show_packages(offered: &Value) -> bool {
    let findings = package_findings(offered);
    if findings.is_empty() {
        return true;
    }
    let mut table = Table::new(&["", "PACKAGE", "STATE"]);
    for (name, is_good, message) in &findings {
        table.row([mark(*is_good), name.clone(), message.clone()]);
    }
    table.show("");
    output::line("");
    findings.iter().all(|(_, is_good, _)| *is_good)
}

/// Each package with the services of which it is dearer than its sessions one by one; of a service
/// that it is not offered for, nothing is to be said.
fn package_findings(offered: &Value) -> Vec<(String, bool, String)> {
    let services = list(&offered["services"]);
    let finding = |package: &Value| {
        let (price, sessions) = (money::minor(&package["price"]), &package["sessions"]);
        let singly = |service: &Value| {
            money::minor(&service["price"]).saturating_mul(sessions.as_i64().unwrap_or(0))
        };
        let ids: Vec<String> = list(&package["serviceIds"]).iter().map(text).collect();
        let is_offered = |service: &&Value| ids.contains(&text(&service["serviceId"]));
        let its: Vec<&Value> = services.iter().filter(is_offered).collect();
        let dearer: Vec<String> = its
            .iter()
            .filter(|service| singly(service) < price)
            .map(|service| {
                let one_by_one = money::shown(&money::wire(singly(service)));
                format!("{} ({one_by_one} one by one)", text(&service["title"]))
            })
            .collect();
        let shown = money::shown(&package["price"]);
        let message = if its.is_empty() {
            "no service is sold by it: name some in services.toml".to_owned()
        } else if dearer.is_empty() {
            format!("{shown}, never dearer than {sessions} sessions one by one")
        } else {
            format!("{shown} is more than its sessions cost for {}", dearer.join(", "))
        };
        (text(&package["title"]), dearer.is_empty() && !its.is_empty(), message)
    };
    list(&offered["packages"]).iter().map(finding).collect()
}

/// The checks that need no payment.
fn setup_findings(zone: &Zone, answer: &Value) -> Vec<Finding> {
    let problem = text(&answer["keysProblem"]);
    let is_test = answer["isTestMode"] == true;
    let mode = if is_test { "test keys: no money moves" } else { "live keys" };
    let last = &answer["lastWebhookAt"];
    let refused = text(&answer["refusedWebhooks"]);
    let names_account = answer["namesAccount"] == true;
    let is_ours = answer["isOtherAccount"] != true;
    vec![
        Finding::new(
            "keys",
            problem.is_empty(),
            format!("the provider takes them; {mode}"),
            &format!("{problem}: check PAYMENTS_KEY_ID, PAYMENTS_KEY_SECRET"),
        ),
        Finding::new(
            "webhooks",
            last.is_string(),
            format!("the last one with the right signature came {}", zone.moment(last)),
            "none has come: check address, events and secret in the dashboard",
        ),
        Finding::new(
            "signatures",
            refused.is_empty() || refused == "0",
            "none was wrong since the start".to_owned(),
            &format!("{refused} were wrong since the start: check PAYMENTS_WEBHOOK_SECRET"),
        ),
        Finding::new(
            "account",
            (names_account || is_test) && is_ours,
            if names_account {
                "webhooks name the account of the settings".to_owned()
            } else {
                "PAYMENTS_ACCOUNT_ID isn't set; live keys need it".to_owned()
            },
            if names_account {
                "the last webhook names another account: check PAYMENTS_ACCOUNT_ID"
            } else {
                "PAYMENTS_ACCOUNT_ID isn't set, so another account's webhooks are not told apart"
            },
        ),
    ]
}

/// The checks of one payment and its refund.
fn payment_findings(payment: &Value) -> Vec<Finding> {
    if !payment.is_object() {
        let todo = "none yet: book a session, pay it, and ask again";
        return vec![Finding::new("payment", false, String::new(), todo)];
    }
    let (refunded, refunding) = (&payment["refunded"], &payment["refunding"]);
    let booking = text(&payment["bookingId"]);
    let on_its_way = format!("{} is on its way back: ask again later", money::shown(refunding));
    let none = format!("none yet: sukoon refund {booking}");
    vec![
        Finding::new(
            "payment",
            true,
            format!("{} for {booking}", money::shown(&payment["amount"])),
            "",
        ),
        Finding::new(
            "told of",
            payment["hasWebhook"] == true,
            "by a webhook".to_owned(),
            "only by asking: the webhook did not come; check its address, port and events",
        ),
        Finding::new(
            "capture",
            payment["isCapturedByItself"] == true,
            "automatic".to_owned(),
            "by us, a minute later: switch automatic capture on in the dashboard",
        ),
        Finding::new(
            "refund",
            money::minor(refunded) > 0,
            format!("{} came back", money::shown(refunded)),
            if money::minor(refunding) > 0 { &on_its_way } else { &none },
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(findings: &[Finding]) -> Vec<&str> {
        findings.iter().filter(|it| it.is_good).map(|it| it.name).collect()
    }

    fn message<'f>(findings: &'f [Finding], name: &str) -> &'f str {
        findings.iter().find(|it| it.name == name).map_or("", |it| &it.message)
    }

    #[test]
    fn a_practice_without_a_payment_gets_advice() {
        let findings = payment_findings(&Value::Null);
        assert!(good(&findings).is_empty());
        assert!(message(&findings, "payment").contains("book a session"));
    }

    #[test]
    fn a_package_that_is_dearer_than_its_sessions_is_a_problem() {
        let offered = |services: &[&str]| {
            json!({
                "services": [
                    { "serviceId": "general", "title": "General", "price": money::wire(50_000) },
                    { "serviceId": "karmic", "title": "Karmic", "price": money::wire(150_000) },
                ],
                "packages": [{
                    "title": "Starter", "sessions": 3, "price": money::wire(450_000),
                    "serviceIds": services,
                }],
            })
        };
        let (_, is_good, message) = package_findings(&offered(&["karmic"])).remove(0);
        assert!(is_good && message.contains("₹4,500, never dearer than 3"), "{message}");
        let (_, is_good, message) = package_findings(&offered(&["general", "karmic"])).remove(0);
        assert!(!is_good && message.contains("General (₹1,500 one by one)"), "{message}");
        assert!(!message.contains("Karmic"), "{message}");
        assert!(!package_findings(&offered(&[])).remove(0).1);
        assert!(package_findings(&json!({})).is_empty() && show_packages(&json!({})));
    }

    #[test]
    fn each_problem_of_a_payment_has_its_own_message() {
        let mut payment = json!({
            "bookingId": "bkg_1", "amount": money::wire(50_000), "hasWebhook": true,
            "isCapturedByItself": true, "refunded": money::wire(50_000),
            "refunding": money::wire(0),
        });
        assert_eq!(good(&payment_findings(&payment)), ["payment", "told of", "capture", "refund"]);
        payment["refunded"] = money::wire(0);
        assert_eq!(message(&payment_findings(&payment), "refund"), "none yet: sukoon refund bkg_1");
        payment["refunding"] = money::wire(50_000);
        assert!(message(&payment_findings(&payment), "refund").contains("on its way"));
        payment["hasWebhook"] = json!(false);
        payment["isCapturedByItself"] = json!(false);
        assert_eq!(good(&payment_findings(&payment)), ["payment"]);
    }
}
