//! Whether the domain that mails are from says so in DNS: without SPF, DKIM and DMARC they lie
//! among spam. What is missing is told as the record to add.
use anyhow::{Context, Result};
use hickory_resolver::{ResolverBuilder, TokioResolver};
use std::collections::BTreeMap;
use std::future::Future;

/// Names under which providers put their DKIM keys, where the practice does not name its own.
const SELECTORS: [&str; 12] = [
    "default",
    "mail",
    "dkim",
    "google",
    "selector1",
    "selector2",
    "s1",
    "s2",
    "k1",
    "zoho",
    "mx",
    "brevo",
];

/// One of the three, and the record that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// `SPF`, `DKIM` or `DMARC`.
    pub(crate) title: &'static str,
    /// What was found; else what to add.
    pub(crate) found: Result<String, String>,
}

/// Who sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sender<'a> {
    /// The domain of the sender's address.
    pub(crate) domain: &'a str,
    /// The mail server.
    pub(crate) server: &'a str,
    /// Who gets reports about mails in this domain's name.
    pub(crate) operator: &'a str,
    /// The name of the DKIM key, if the practice names it.
    pub(crate) selector: Option<&'a str>,
}

/// Asks DNS.
pub(crate) async fn ask(sender: &Sender<'_>) -> Result<Vec<Record>> {
    let resolver = TokioResolver::builder_tokio().and_then(ResolverBuilder::build);
    let resolver = resolver.context("no name server is named in /etc/resolv.conf")?;
    Ok(records(sender, |name| texts(&resolver, name)).await)
}

/// The texts of a name; none where it has none or nothing answers.
async fn texts(resolver: &TokioResolver, name: String) -> Vec<String> {
    let Ok(found) = resolver.txt_lookup(format!("{name}.")).await else { return Vec::new() };
    let text = |record: &hickory_resolver::proto::rr::rdata::TXT| {
        record.txt_data.iter().map(|part| String::from_utf8_lossy(part)).collect::<String>()
    };
    let records = found.answers().iter().filter_map(|it| match &it.data {
        hickory_resolver::proto::rr::RData::TXT(record) => Some(text(record)),
        _ => None,
    });
    records.collect()
}

async fn records<F, Answer>(sender: &Sender<'_>, ask: F) -> Vec<Record>
where
    F: Fn(String) -> Answer,
    Answer: Future<Output = Vec<String>>,
{
    let Sender { domain, server, operator, selector } = sender;
    let begins = |texts: Vec<String>, begin: &str| {
        texts.into_iter().find(|it| it.to_lowercase().starts_with(begin))
    };
    let spf = begins(ask((*domain).to_owned()).await, "v=spf1");
    let policy = format!("_dmarc.{domain}");
    let dmarc = begins(ask(policy.clone()).await, "v=dmarc1");
    let mut keys = BTreeMap::new();
    let names = selector.map_or(SELECTORS.to_vec(), |it| vec![it]);
    for name in names {
        let key = format!("{name}._domainkey.{domain}");
        let texts = ask(key.clone()).await;
        if texts.iter().any(|it| it.contains("p=")) {
            keys.insert(key, name);
        }
    }
    let title = selector.unwrap_or("<selector>");
    vec![
        Record {
            title: "SPF",
            found: spf.ok_or_else(|| {
                format!(
                    "add TXT at {domain}: v=spf1 a:{server} ~all (or your mail provider's line)"
                )
            }),
        },
        Record {
            title: "DKIM",
            found: keys.into_keys().next().ok_or_else(|| {
                format!(
                    "add the TXT or CNAME that your mail provider shows at \
                     {title}._domainkey.{domain}; [mail] dkim_selector of the answers names it"
                )
            }),
        },
        Record {
            title: "DMARC",
            found: dmarc.ok_or_else(|| {
                format!("add TXT at {policy}: v=DMARC1; p=none; rua=mailto:{operator}")
            }),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENDER: Sender<'static> = Sender {
        domain: "example.org",
        server: "smtp.example.net",
        operator: "operator@example.org",
        selector: None,
    };

    async fn found(sender: &Sender<'_>, zone: &[(&str, &str)]) -> Vec<Record> {
        let ask = |name: String| {
            let texts = zone.iter().filter(|(known, _)| *known == name);
            let texts: Vec<String> = texts.map(|(_, text)| (*text).to_owned()).collect();
            async move { texts }
        };
        records(sender, ask).await
    }

    #[tokio::test]
    async fn a_domain_that_says_nothing_is_told_each_record() {
        let told = found(&SENDER, &[("example.org", "google-site-verification=1")]).await;
        let missing: Vec<String> = told.into_iter().map(|it| it.found.unwrap_err()).collect();
        assert!(missing[0].starts_with("add TXT at example.org: v=spf1 a:smtp.example.net ~all"));
        assert!(missing[1].contains("<selector>._domainkey.example.org"), "{missing:?}");
        let policy = "add TXT at _dmarc.example.org: v=DMARC1; p=none; \
                      rua=mailto:operator@example.org";
        assert_eq!(missing[2], policy);
    }

    #[tokio::test]
    async fn a_domain_that_says_all_is_well_by_a_usual_or_a_named_key() {
        let key = "v=DKIM1; k=rsa; p=MIIB";
        let zone = [
            ("example.org", "v=spf1 include:_spf.example.net ~all"),
            ("selector1._domainkey.example.org", key),
            ("own._domainkey.example.org", key),
            ("_dmarc.example.org", "V=DMARC1; p=reject"),
        ];
        let told = found(&SENDER, &zone).await;
        assert!(told.iter().all(|it| it.found.is_ok()), "{told:?}");
        let named = Sender { selector: Some("own"), ..SENDER };
        let told = found(&named, &zone).await;
        assert_eq!(told[1].found, Ok("own._domainkey.example.org".to_owned()));
        let other = Sender { selector: Some("other"), ..SENDER };
        assert!(found(&other, &zone).await[1].found.is_err());
    }
}
