//! What a client agreed to, in the words that were recorded. The practice's texts and rules of
//! today are no evidence of that day's, so where nothing was recorded, that is said.
use crate::dates::Zone;
use crate::labels::text;
use serde_json::Value;

/// The three texts: their names in the answer, and for people.
const TEXTS: [(&str, &str); 3] =
    [("terms", "Terms"), ("refunds", "Refund policy"), ("privacy", "Privacy policy")];

/// What was agreed to, in rows of a name and words.
pub(crate) fn rows(zone: &Zone, history: &Value) -> Vec<(&'static str, String)> {
    let mut rows = vec![("Terms accepted", moment(zone, &history["termsAcceptedAt"]))];
    let accepted = &history["acceptedTerms"];
    if accepted.is_null() {
        let none = "Not recorded with the booking: which version of the terms and of the refunds \
                    page was shown.";
        rows.push(("Words of the terms", none.to_owned()));
    }
    for (key, name) in TEXTS {
        if !accepted.is_null() {
            rows.push((name, version(&accepted[key])));
        }
    }
    rows.push(("Cancellation", cancellation(history)));
    rows.push(("Consent to online sessions", consent(zone, &history["consent"])));
    rows
}

/// The words of the texts that were shown, with their names; of those that are kept.
pub(crate) fn kept_words(history: &Value) -> Vec<(String, String)> {
    let accepted = &history["acceptedTerms"];
    let kept = TEXTS.iter().map(|(key, name)| {
        let shown = &accepted[*key];
        let title = format!("{name} of {}, as shown", text(&shown["version"]));
        (title, text(&shown["words"]))
    });
    let consent = &history["consent"];
    let title = format!("Consent to online sessions of {}, as shown", text(&consent["version"]));
    let kept = kept.chain([(title, text(&consent["words"]))]);
    kept.filter(|(_, words)| !words.is_empty()).collect()
}

/// "2026-12-01 11:00 IST"
fn moment(zone: &Zone, instant: &Value) -> String {
    match zone.moment(instant) {
        moment if moment.is_empty() => "not recorded".to_owned(),
        moment => format!("{moment} {}", zone.label),
    }
}

fn version(shown: &Value) -> String {
    let (version, hash) = (text(&shown["version"]), text(&shown["hash"]));
    if hash.is_empty() {
        return "Not recorded: the page did not say which version it showed.".to_owned();
    }
    let named = format!("version {version}, SHA-256 {hash}");
    if text(&shown["words"]).is_empty() {
        return format!("{named}, as the page said it. The practice does not have its words.");
    }
    named
}

fn cancellation(history: &Value) -> String {
    let until = |hours: i64| {
        format!(
            "Until {hours} hours before its start each session is cancelled with a refund of what \
             was paid for it{}",
            later(&history["booking"]["booking"]["cancellationPolicy"], hours)
        )
    };
    let accepted = &history["acceptedTerms"];
    let package = history["booking"]["booking"]["package"]["noticeHours"].as_i64();
    if accepted.is_null() {
        return match package {
            Some(hours) => format!("{} Recorded with the booking.", until(hours)),
            None => {
                "Not recorded with the booking: until how many hours before the start it could \
                     be cancelled with a refund."
                    .to_owned()
            }
        };
    }
    let hours = accepted["noticeHours"].as_i64().unwrap_or_default();
    let said = match accepted["shownNoticeHours"].as_i64() {
        Some(said) if said == hours => "The page said so.".to_owned(),
        Some(said) => format!("The page said {said} hours."),
        None => "What the page said is not recorded.".to_owned(),
    };
    format!("{} The rule when the terms were accepted. {said}", until(hours))
}

/// The ends of the sentence "is cancelled with a refund of what was paid for it", as the booking's
/// own policy has them where it is of these hours.
fn later(policy: &Value, hours: i64) -> String {
    let number = |tier: &Value, name: &str| tier[name].as_i64().unwrap_or_default();
    let tiers = policy["tiers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_told = tiers.first().is_some_and(|tier| number(tier, "untilHours") == hours);
    if !is_told || tiers.len() < 2 {
        return "; later without.".to_owned();
    }
    let line = |tier: &Value| {
        let given = match &tier["practiceLate"] {
            Value::Null => String::new(),
            late if late["freeSession"] == true => "a free session".to_owned(),
            late => format!("{}% of the price", number(late, "sharePercent")),
        };
        let given = match given.as_str() {
            "" => given,
            _ => format!(" (all of it, and {given}, when the practice cancels then)"),
        };
        match (number(tier, "untilHours"), number(tier, "refundPercent")) {
            (_, 0) => format!("; later without{given}."),
            (until, percent) => {
                format!(", until {until} hours before with {percent}% of it{given}")
            }
        }
    };
    tiers.iter().skip(1).map(line).collect()
}

fn consent(zone: &Zone, consent: &Value) -> String {
    let id = text(&consent["consentId"]);
    if id.is_empty() {
        return "none is recorded".to_owned();
    }
    let withdrawn = match &consent["withdrawnAt"] {
        Value::Null => String::new(),
        instant => format!("; withdrawn {}", moment(zone, instant)),
    };
    let (given, version) = (moment(zone, &consent["givenAt"]), text(&consent["version"]));
    let record = &consent["record"];
    let mut words = format!("given {given}, to version {version} ({id}){withdrawn}");
    let signature = text(&record["signature"]);
    if !signature.is_empty() {
        let (name, email) = (text(&record["fullName"]), text(&record["email"]));
        words.push_str(&format!(". Signed \"{signature}\" by {name} <{email}>"));
    }
    words.push_str(&format!(". {}", way(zone, record)));
    words
}

/// By which way a consent was given, and what proves it.
pub(crate) fn way(zone: &Zone, record: &Value) -> String {
    let mut words = match record["channel"].as_str() {
        Some("CONSENT_CHANNEL_ACCOUNT") => "Way: the session of the client's account".to_owned(),
        Some("CONSENT_CHANNEL_PAGE") => "Way: the page of a booking made on the phone".to_owned(),
        _ => "Way unknown: it was not recorded when this consent was given".to_owned(),
    };
    let code = text(&record["codeMailedTo"]);
    if !code.is_empty() {
        let at = moment(zone, &record["codeConfirmedAt"]);
        words.push_str(&format!(", with the code mailed to {code} and typed {at}"));
    }
    for (key, name) in [
        ("sessionId", "session"),
        ("pageKey", "key of the page"),
        ("network", "network"),
        ("userAgent", "browser"),
    ] {
        let value = text(&record[key]);
        if !value.is_empty() {
            words.push_str(&format!(", {name} {value}"));
        }
    }
    words.push('.');
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(history: &Value) -> String {
        let rows = rows(&Zone::of_kolkata(), history).into_iter();
        rows.map(|(name, words)| format!("{name}: {words}")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn what_was_not_recorded_is_not_stated() {
        let single = said(&json!({ "termsAcceptedAt": "2026-12-01T05:30:00Z" }));
        assert!(single.contains("Terms accepted: 2026-12-01 11:00 IST"), "{single}");
        assert!(single.contains("Cancellation: Not recorded"), "{single}");
        assert!(single.contains("Consent to online sessions: none is recorded"), "{single}");
        assert!(!single.contains("24") && !single.contains("shown before"), "{single}");
        let package = said(&json!({
            "booking": { "booking": { "package": { "noticeHours": 48 } } },
            "consent": {
                "consentId": "cst_1", "version": "2026-11", "givenAt": "2026-12-01T05:31:00Z",
            },
        }));
        assert!(package.contains("Until 48 hours before its start"), "{package}");
        assert!(package.contains("given 2026-12-01 11:01 IST, to version 2026-11 (cst_1)"));
        assert!(package.contains("Terms accepted: not recorded"), "{package}");
    }

    #[test]
    fn a_consent_says_by_which_way_it_was_given() {
        let zone = Zone::of_kolkata();
        let before = way(&zone, &json!({ "signature": "A. Rao" }));
        assert_eq!(before, "Way unknown: it was not recorded when this consent was given.");
        let page = way(
            &zone,
            &json!({
                "channel": "CONSENT_CHANNEL_PAGE", "pageKey": "0123abcd",
                "codeMailedTo": "asha@example.org", "codeConfirmedAt": "2026-12-01T05:31:00Z",
                "network": "192.0.2.0/24", "userAgent": "Firefox",
            }),
        );
        assert_eq!(
            page,
            "Way: the page of a booking made on the phone, with the code mailed to \
             asha@example.org and typed 2026-12-01 11:01 IST, key of the page 0123abcd, network \
             192.0.2.0/24, browser Firefox."
        );
        let history = json!({
            "consent": {
                "consentId": "cst_1", "version": "2026-11", "words": "I agree.",
                "record": {
                    "channel": "CONSENT_CHANNEL_ACCOUNT", "sessionId": "5e55",
                    "signature": "A. Rao", "fullName": "Asha Rao", "email": "asha@example.org",
                },
            },
        });
        let told = said(&history);
        assert!(
            told.contains("Signed \"A. Rao\" by Asha Rao <asha@example.org>. Way: the"),
            "{told}"
        );
        assert!(told.contains("session 5e55."), "{told}");
        let title = "Consent to online sessions of 2026-11, as shown".to_owned();
        assert_eq!(kept_words(&history), [(title, "I agree.".to_owned())]);
    }

    #[test]
    fn what_was_recorded_is_stated_as_it_was() {
        let history = json!({
            "acceptedTerms": {
                "noticeHours": 36,
                "shownNoticeHours": 24,
                "terms": { "version": "2026-11-22", "hash": "ab12", "words": "All words." },
                "refunds": { "version": "2026-11-01", "hash": "cd34" },
            },
        });
        let told = said(&history);
        assert!(told.contains("Terms: version 2026-11-22, SHA-256 ab12"), "{told}");
        assert!(
            told.contains("SHA-256 cd34, as the page said it. The practice does not"),
            "{told}"
        );
        assert!(told.contains("Privacy policy: Not recorded"), "{told}");
        assert!(told.contains("Until 36 hours") && told.contains("The page said 24 hours."));
        let tiers = json!([
            { "untilHours": 36, "refundPercent": 100 },
            { "untilHours": 12, "refundPercent": 50, "practiceLate": { "sharePercent": 20 } },
            { "practiceLate": { "freeSession": true } },
        ]);
        let mut in_steps = history.clone();
        in_steps["booking"]["booking"]["cancellationPolicy"]["tiers"] = tiers;
        assert!(said(&in_steps).contains(
            "what was paid for it, until 12 hours before with 50% of it (all of it, and 20% of the \
             price, when the practice cancels then); later without (all of it, and a free session, \
             when the practice cancels then)."
        ));
        let words = kept_words(&history);
        assert_eq!(words, [("Terms of 2026-11-22, as shown".to_owned(), "All words.".to_owned())]);
        assert_eq!(kept_words(&json!({})), []);
    }
}
