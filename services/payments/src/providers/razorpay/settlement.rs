//! Razorpay's lists: settlements, payments and disputes of the account, page by page, read
//! leniently. Its days are those of India.

use jiff::tz::{Offset, TimeZone};
use kernel::Timestamp;
use serde_json::Value;

use super::api::Api;
use super::{dispute, json};
use crate::domain::dispute::Dispute;
use crate::domain::fact::{ProviderRefundId, SettledId, SettlementId};
use crate::domain::settlement::{Figures, Line, LineSubject, Settlement};
use crate::providers::{Page, PaymentReport, ProviderError};

/// India is this many seconds ahead of UTC, all year.
const INDIA_SECONDS: i32 = 19_800;
/// How many lines of a report are requested at once; the maximum is 1,000.
const LINES: usize = 500;
/// How many rows of the other lists are requested at once; the maximum.
const ROWS: usize = 100;

/// The report about a day.
pub(super) async fn lines(
    api: &Api,
    at: Timestamp,
    skip: usize,
) -> Result<Page<Line>, ProviderError> {
    let india = Offset::from_seconds(INDIA_SECONDS).map_or(TimeZone::UTC, TimeZone::fixed);
    let day = at.in_zone(&india).date();
    // The documentation writes months and days in two digits.
    let (year, month, day) =
        (day.year().to_string(), format!("{:02}", day.month()), format!("{:02}", day.day()));
    let query = [("year", year.as_str()), ("month", &month), ("day", &day)];
    let list = list(api, "/settlements/recon/combined", &query, (LINES, skip)).await?;
    // A line that is not paid out yet is listed again once it is.
    let is_settled = |line: &&Value| {
        !matches!(line.get("settled"), Some(Value::Bool(false)))
            && json::text(line, "settlement_id").is_some()
    };
    Ok(page(&list, is_settled, line, (LINES, skip)))
}

/// The payouts between two instants.
pub(super) async fn settlements(
    api: &Api,
    (from, to): (Timestamp, Timestamp),
    skip: usize,
) -> Result<Page<Settlement>, ProviderError> {
    let (from, to) = (from.seconds().to_string(), to.seconds().to_string());
    let query = [("from", from.as_str()), ("to", &to)];
    let list = list(api, "/settlements", &query, (ROWS, skip)).await?;
    Ok(page(&list, |_all| true, settlement, (ROWS, skip)))
}

/// The payments that were begun between two instants.
pub(super) async fn payments(
    api: &Api,
    (from, to): (Timestamp, Timestamp),
    skip: usize,
) -> Result<Page<PaymentReport>, ProviderError> {
    let (from, to) = (from.seconds().to_string(), to.seconds().to_string());
    let query = [("from", from.as_str()), ("to", &to)];
    let list = list(api, "/payments", &query, (ROWS, skip)).await?;
    // In other states no money was captured.
    let is_known = |payment: &&Value| {
        json::text(payment, "status").and_then(crate::domain::fact::Status::from_word).is_some()
    };
    Ok(page(&list, is_known, json::report, (ROWS, skip)))
}

/// The disputes that began between two instants.
pub(super) async fn disputes(
    api: &Api,
    provider: &str,
    (from, to): (Timestamp, Timestamp),
    skip: usize,
) -> Result<Page<Dispute>, ProviderError> {
    let (from, to) = (from.seconds().to_string(), to.seconds().to_string());
    let query = [("from", from.as_str()), ("to", &to)];
    let list = list(api, "/disputes", &query, (ROWS, skip)).await?;
    let read = |entity: &Value| dispute::read(entity, provider, &Value::Null);
    Ok(page(&list, |_all| true, read, (ROWS, skip)))
}

async fn list(
    api: &Api,
    path: &str,
    query: &[(&str, &str)],
    (count, skip): (usize, usize),
) -> Result<Value, ProviderError> {
    let (count, skip) = (count.to_string(), skip.to_string());
    let mut all = query.to_vec();
    all.extend([("count", count.as_str()), ("skip", &skip)]);
    api.get(path, &all).await
}

fn page<T>(
    list: &Value,
    concerns_us: impl Fn(&&Value) -> bool,
    read: impl Fn(&Value) -> Option<T>,
    (count, skip): (usize, usize),
) -> Page<T> {
    let given = json::items(list).count();
    let items: Vec<Option<T>> = json::items(list).filter(concerns_us).map(read).collect();
    let unread = items.iter().filter(|item| item.is_none()).count();
    let next = (given >= count).then(|| skip.saturating_add(given));
    Page { items: items.into_iter().flatten().collect(), unread, next }
}

fn line(entity: &Value) -> Option<Line> {
    let id = json::text(entity, "entity_id")?;
    let payment = json::text(entity, "payment_id").and_then(json::payment_id);
    let about = match json::text(entity, "type")? {
        "payment" => LineSubject::Payment(json::payment_id(id)?),
        "refund" => LineSubject::Refund(ProviderRefundId::parse(id)?, payment),
        other => match json::text(entity, "dispute_id").and_then(json::dispute_id) {
            Some(dispute) => LineSubject::Dispute(dispute, payment),
            None => LineSubject::Other(json::word(other)),
        },
    };
    let number = |field| json::integer(entity, field);
    // A missing number is zero; an unreadable one is an error.
    let or_nothing = |field| match entity.get(field) {
        None | Some(Value::Null) => Some(0),
        Some(_) => number(field),
    };
    let (amount, credit) = (number("amount")?, or_nothing("credit")?);
    let (fee, tax) = (or_nothing("fee")?, or_nothing("tax")?);
    // A fee that was taken from credits does not reduce the payout; it is billed with the credits.
    let is_of_credits = json::text(entity, "credit_type").is_some_and(|it| it != "default");
    let is_prepaid = is_of_credits && credit == amount;
    let (fee, tax) = if is_prepaid { (0, 0) } else { (fee, tax) };
    Some(Line {
        settlement: SettlementId::parse(json::text(entity, "settlement_id")?)?,
        id: SettledId::parse(id)?,
        about,
        figures: Figures {
            amount,
            debit: or_nothing("debit")?,
            credit,
            fee,
            tax,
            currency: json::text(entity, "currency")?.to_ascii_uppercase(),
        },
        settled_at: number("settled_at").and_then(Timestamp::from_seconds),
    })
}

fn settlement(entity: &Value) -> Option<Settlement> {
    Some(Settlement {
        id: SettlementId::parse(json::text(entity, "id")?)?,
        amount_minor: json::integer(entity, "amount")?,
        state: json::word(json::text(entity, "status").unwrap_or("processed")),
        bank_reference: json::text(entity, "utr").map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{line, page, settlement};
    use crate::domain::settlement::LineSubject;

    fn told() -> Value {
        json!({
            "entity_id": "pay_AAAAAAAAAAAAAA", "type": "payment", "debit": 0, "credit": 97_100,
            "amount": 100_000, "currency": "INR", "fee": 2_900, "tax": 0, "on_hold": false,
            "settled": true, "created_at": 1_567_692_556, "settled_at": 1_568_176_960,
            "settlement_id": "setl_AAAAAAAAAAAAAA", "payment_id": null, "notes": "{}",
        })
    }

    fn with(field: &str, value: Value) -> Value {
        let mut told = told();
        told[field] = value;
        told
    }

    #[test]
    fn a_line_is_read_completely_or_not_at_all() {
        let read = line(&told()).unwrap();
        assert_eq!((read.figures.credit, read.figures.fee), (97_100, 2_900));
        assert_eq!(read.settled_at.unwrap().seconds(), 1_568_176_960);
        assert_eq!(line(&with("amount", json!("100000"))), Some(read));
        let left_out = line(&with("tax", Value::Null)).unwrap();
        assert_eq!(left_out.figures.tax, 0);
        for (field, value) in [
            ("amount", json!(1.5)),
            ("fee", json!([])),
            ("credit", json!("many")),
            ("entity_id", json!("pay_short")),
            ("settlement_id", json!("setl ' --")),
            ("currency", Value::Null),
            ("type", Value::Null),
        ] {
            assert_eq!(line(&with(field, value)), None, "{field}");
        }
    }

    /// dashboard-guide/credits: payments are settled in full, their fees are taken from the
    /// credits.
    #[test]
    fn a_fee_that_was_taken_from_credits_is_none_of_the_payouts() {
        let mut told = with("credit_type", json!("fee"));
        assert_eq!(line(&told).unwrap().figures.fee, 2_900, "it was kept back after all");
        told["credit"] = json!(100_000);
        let figures = line(&told).unwrap().figures;
        assert_eq!((figures.credit, figures.fee, figures.tax), (100_000, 0, 0));
        told["credit_type"] = json!("default");
        assert_eq!(line(&told).unwrap().figures.fee, 2_900, "and then the line does not fit");
    }

    #[test]
    fn a_line_may_name_an_unknown_payment() {
        let mut told = with("type", json!("settlement.ondemand fee"));
        told["entity_id"] = json!("setlod_AAAAAAAAAAAAAA");
        assert_eq!(
            line(&told).unwrap().about,
            LineSubject::Other("settlementondemandfee".to_owned())
        );
        let mut told = with("type", json!("refund"));
        told["entity_id"] = json!("rfnd_AAAAAAAAAAAAAA");
        let read = line(&told).unwrap();
        assert_eq!(read.about.payment(), None);
        told["payment_id"] = json!("pay_BBBBBBBBBBBBBB");
        assert_eq!(line(&told).unwrap().about.payment().unwrap().as_str(), "pay_BBBBBBBBBBBBBB");
    }

    #[test]
    fn a_page_says_what_it_could_not_read_and_how_to_go_on() {
        let list = json!({ "items": [told(), with("amount", json!({})), json!(null)] });
        let read = page(&list, |line| line.is_object(), line, (3, 6));
        assert_eq!((read.items.len(), read.unread, read.next), (1, 1, Some(9)));
        assert_eq!(page(&list, |_all| true, line, (4, 0)).next, None);
        assert_eq!(page(&json!({}), |_all| true, line, (4, 0)).items.len(), 0);
    }

    #[test]
    fn a_settlement_may_lack_fields() {
        let read = settlement(&json!({ "id": "setl_AAAAAAAAAAAAAA", "amount": "97100" })).unwrap();
        assert_eq!((read.amount_minor, read.state.as_str()), (97_100, "processed"));
        assert_eq!(settlement(&json!({ "id": "setl_AAAAAAAAAAAAAA" })), None);
    }
}
