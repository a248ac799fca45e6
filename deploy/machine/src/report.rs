//! What the gateway's inner listener says of the parts of a practice.
use crate::{healthz, output};

/// What the gateway says of a part that works, and has a problem that a person has to look at.
const CONCERN: &str = "a person has to look at it";

/// What the gateway says of the parts.
#[derive(Debug, PartialEq, Eq)]
pub struct Report {
    /// The first process that is not ready. One that reports its HTTP port or a concern apart has
    /// several entries.
    pub unready: Option<String>,
    /// The entries that a person has to look at.
    concerns: Vec<String>,
}

impl Report {
    /// Asks the gateway's inner listener; none when it does not answer.
    pub async fn ask(port: u16) -> Option<Self> {
        Self::parse(&healthz::get(port, "/healthz").await?.body)
    }

    fn parse(report: &str) -> Option<Self> {
        let report: serde_json::Value = serde_json::from_str(report).ok()?;
        let (mut unready, mut concerns) = (None, Vec::new());
        for (name, state) in report.get("parts")?.as_object()? {
            match state.as_str() {
                Some("ready") => {}
                Some(CONCERN) => concerns.push(name.clone()),
                Some(_) | None => {
                    let process = name.split('_').next().unwrap_or(name);
                    unready.get_or_insert_with(|| process.to_owned());
                }
            }
        }
        Some(Self { unready, concerns })
    }

    /// Whether every part works.
    pub fn is_open(&self) -> bool {
        self.unready.is_none()
    }

    /// Prints what a person has to look at.
    pub fn print_concerns(&self) {
        for entry in &self.concerns {
            output::step(format_args!("{entry}: {CONCERN}; docs/RUNBOOKS.md says what to do"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_is_not_ready_is_named_and_a_concern_keeps_nothing_shut() {
        let parts = |text: &str| Report::parse(&format!(r#"{{"ready":false,"parts":{{{text}}}}}"#));
        let named = parts(r#""booking":"ready","payments_http":"not ready""#).unwrap();
        assert_eq!(named, Report { unready: Some("payments".to_owned()), concerns: vec![] });
        assert!(!named.is_open());
        let concern =
            parts(r#""booking":"ready","booking_calendars":"a person has to look at it""#);
        let concern = concern.unwrap();
        assert!(concern.is_open());
        assert_eq!(concern.concerns, ["booking_calendars"]);
        assert_eq!(Report::parse("not JSON"), None);
    }
}
