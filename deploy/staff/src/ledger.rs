//! `sukoon balances` and `sukoon ledger`: the balances and entries of the double-entry ledger.
use crate::arguments::OneBooking;
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

pub(crate) async fn balances(session: &Session) -> Result<Outcome> {
    let answer = session.call("payments.v1.PaymentsStaffService/GetBalances", &json!({})).await?;
    if session.options.json {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    let mut table = Table::new(&["ACCOUNT", "DEBIT", "CREDIT"]);
    for balance in list(&answer["balances"]) {
        let [debit, credit] = sides(&balance["balance"]);
        table.row([text(&balance["account"]), debit, credit]);
    }
    table.show("The ledger is empty.");
    Ok(Outcome::Complete)
}

pub(crate) async fn entries(session: &Session, of: &OneBooking) -> Result<Outcome> {
    let request = json!({ "bookingId": references::id_of(session, &of.booking).await? });
    let method = "payments.v1.PaymentsStaffService/ListLedgerEntries";
    let answer = session.call(method, &request).await?;
    if session.options.json {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    let zone = Zone::of(session).await?;
    let mut table = Table::new(&["WHEN", "ENTRY", "ACCOUNT", "DEBIT", "CREDIT"]);
    for entry in list(&answer["entries"]) {
        // Only the first line of an entry shows its time and kind, which separates the entries.
        let mut head = [zone.moment(&entry["recordedAt"]), text(&entry["kind"])];
        for line in list(&entry["lines"]) {
            let [at, kind] = std::mem::take(&mut head);
            let [debit, credit] = sides(&line["amount"]);
            table.row([at, kind, text(&line["account"]), debit, credit]);
        }
    }
    table.show("The ledger has no entry about this booking.");
    Ok(Outcome::Complete)
}

/// Puts an amount into its column: debits are positive.
fn sides(amount: &Value) -> [String; 2] {
    let minor = money::minor(amount);
    let mut size = amount.clone();
    if let Some(fields) = size.as_object_mut() {
        fields.insert("minorUnits".to_owned(), json!(minor.saturating_abs().to_string()));
    }
    let shown = money::shown(&size);
    if minor < 0 { [String::new(), shown] } else { [shown, String::new()] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debits_and_credits_have_a_column_each() {
        assert_eq!(sides(&money::wire(150_000)), ["₹1,500", ""]);
        assert_eq!(sides(&money::wire(-150_050)), ["", "₹1,500.50"]);
        assert_eq!(sides(&Value::Null), ["₹0", ""]);
    }
}
