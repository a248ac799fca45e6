//! `sukoon ready`: one list of what is missing before the practice goes live, each with what to do.
use super::decisions::Decisions;
use super::layout::Layout;
use super::look::Figures;
use super::outside;
use super::power;
use super::requirements;
use super::sample;
use super::sender::{self, Sender};
use anyhow::Result;
use machine::output;
use std::process::ExitCode;

/// One thing that a practice needs to be live.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Item {
    title: &'static str,
    /// What is as it should be; else what is missing and what to do.
    found: Result<String, String>,
}

impl Item {
    fn of(title: &'static str, found: Result<String>) -> Self {
        Self { title, found: found.map_err(|error| format!("{error:#}")) }
    }

    fn when(title: &'static str, is_ready: bool, says: &str, act: &str) -> Self {
        Self { title, found: if is_ready { Ok(says.to_owned()) } else { Err(act.to_owned()) } }
    }
}

/// Prints the list; fails while something is missing.
pub(crate) async fn run(layout: &Layout) -> Result<ExitCode> {
    let decisions = Decisions::kept(layout)?;
    let mut items = own_words(&sample::left(layout));
    items.push(Item::of("name", requirements::dns(&decisions).await));
    let figures = Figures::take(layout).await;
    items.extend(of_machine(&figures));
    items.push(Item::of("mail", requirements::mail_login(&decisions).await));
    items.extend(of_sender(&decisions).await);
    items.push(Item::of("payments", requirements::live_payments(&decisions).await));
    items.extend(of_operator(&decisions));
    items.push(second_factor(layout, &decisions.owner.email));
    for line in lines(&items) {
        output::line(line);
    }
    let is_ready = items.iter().all(|item| item.found.is_ok());
    Ok(if is_ready { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn lines(items: &[Item]) -> Vec<String> {
    let mut lines: Vec<String> = items
        .iter()
        .map(|Item { title, found }| match found {
            Ok(says) => format!("  {title:<14} {says}"),
            Err(act) => format!("! {title:<14} {act}"),
        })
        .collect();
    let missing = items.iter().filter(|item| item.found.is_err()).count();
    lines.push(match missing {
        0 => "Ready. Book a session yourself and pay it; then tell your clients.".to_owned(),
        1 => "One thing is missing (!).".to_owned(),
        _ => format!("{missing} things are missing (!)."),
    });
    lines
}

/// The practice's own words: those of the sample are of a person who does not exist.
fn own_words(left: &[String]) -> Vec<Item> {
    let told = |word: &String| {
        format!(
            "the sample's {word}: write your own in /etc/sukoon/practice, then \
             `sukoon practice apply`"
        )
    };
    if left.is_empty() {
        let says = "nothing of the sample's stands there".to_owned();
        return vec![Item { title: "own words", found: Ok(says) }];
    }
    left.iter().map(|word| Item { title: "own words", found: Err(told(word)) }).collect()
}

fn of_machine(figures: &Figures) -> Vec<Item> {
    let certificate = match &figures.certificate_days {
        Some(Ok(days)) if *days >= outside::DAYS_MIN => {
            Ok(format!("answers over TLS, certificate for {days} days"))
        }
        Some(Ok(days)) => Err(format!("the certificate ends in {days} days: `sukoon logs caddy`")),
        Some(Err(error)) => Err(error.clone()),
        None => Err("unknown: `sukoon init` writes its name".to_owned()),
    };
    let is_synchronised = figures.clock_synchronised == Some(true);
    let act = "follows no time server: `timedatectl set-ntp true`";
    vec![
        Item { title: "site", found: certificate },
        Item::when("clock", is_synchronised, "follows a time server", act),
    ]
}

async fn of_sender(decisions: &Decisions) -> Vec<Item> {
    let mail = &decisions.mail;
    let address = mail.sender.rsplit(['<', ' ']).next().unwrap_or_default();
    let domain = address.rsplit('@').next().unwrap_or_default().trim_end_matches('>');
    let server = requirements::mail_host(&mail.url).unwrap_or_default();
    let sender = Sender {
        domain,
        server: &server,
        operator: &decisions.operator,
        selector: Some(mail.dkim_selector.as_str()).filter(|it| !it.is_empty()),
    };
    match sender::ask(&sender).await {
        Ok(records) => {
            records.into_iter().map(|it| Item { title: it.title, found: it.found }).collect()
        }
        Err(error) => vec![Item::of("SPF", Err(error))],
    }
}

fn of_operator(decisions: &Decisions) -> Vec<Item> {
    vec![
        Item::when(
            "backups",
            decisions.backups.is_elsewhere(),
            "leave this machine",
            "are on this machine only: [backups.place] of the answers, then `sukoon init`",
        ),
        Item::when(
            "alarms",
            decisions.alarms.is_some(),
            "reach a phone; `sukoon alarm test` tries it",
            "go by mail alone: [alarms] of the answers names a phone, then `sukoon init`",
        ),
    ]
}

/// Whether the owner's account has a second factor or a passkey.
fn second_factor(layout: &Layout, email: &str) -> Item {
    let sql = "select count(*) from users u where lower(email) = lower(:'email') and (
                   exists (select from factors f
                           where f.user_id = u.user_id and f.status = 'verified')
                   or exists (select from passkeys p where p.user_id = u.user_id))";
    let quoted = email.replace('\\', "\\\\").replace('\'', "\\'");
    let script = format!("\\set email '{quoted}'\n{sql};\n");
    let asked = power::cluster(layout).and_then(|cluster| cluster.answer("identity", &script));
    match asked {
        Ok(count) => Item::when(
            "second factor",
            count.trim() == "1",
            "the owner has one",
            "the owner has none: sign in, Account, Second step; after 14 days it is asked for",
        ),
        Err(error) => Item::of("second factor", Err(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decisions::tests::decisions;

    #[test]
    fn what_is_missing_has_an_act_and_is_counted() {
        let mut items = own_words(&["phone = +917555550100".to_owned()]);
        items.push(Item { title: "clock", found: Ok("follows a time server".to_owned()) });
        let told = lines(&items);
        assert!(told[0].starts_with("! own words      the sample's phone = +917555550100: write"));
        assert_eq!(told[1], "  clock          follows a time server");
        assert_eq!(told[2], "One thing is missing (!).");
        assert!(lines(&own_words(&[]))[1].starts_with("Ready."));
    }

    #[test]
    fn each_of_the_machine_s_and_the_operator_s_is_seen_ready_and_not() {
        let missing = |items: Vec<Item>| -> Vec<&'static str> {
            items.into_iter().filter(|it| it.found.is_err()).map(|it| it.title).collect()
        };
        let figures = |days, clock_synchronised| Figures {
            certificate_days: Some(days),
            clock_synchronised,
            ..Figures::default()
        };
        assert_eq!(missing(of_machine(&figures(Ok(14), Some(true)))), Vec::<&str>::new());
        assert_eq!(missing(of_machine(&figures(Ok(13), Some(false)))), ["site", "clock"]);
        assert_eq!(missing(of_machine(&figures(Err(String::new()), None))), ["site", "clock"]);
        let mut decided = decisions();
        assert_eq!(missing(of_operator(&decided)), Vec::<&str>::new());
        decided.alarms = None;
        decided.backups.place.clear();
        assert_eq!(missing(of_operator(&decided)), ["backups", "alarms"]);
    }
}
