//! Host names as a setting lists them (`GATEWAY_HOSTS`).

use std::str::FromStr;

/// Names that a setting lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostNames(Vec<String>);

impl HostNames {
    /// The names in small letters; `*.` and a name is for all names below it.
    pub(crate) fn as_slice(&self) -> &[String] {
        &self.0
    }
}

impl FromStr for HostNames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = text.split([',', ' ']).map(str::trim).filter(|name| !name.is_empty());
        names.map(checked).collect::<Result<_, _>>().map(Self)
    }
}

/// A name, or `*.` and a name for all names below it.
fn checked(name: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let bare = name.strip_prefix("*.").unwrap_or(name);
    if !bare.is_empty() && bare.chars().all(plain) {
        Ok(name.to_ascii_lowercase())
    } else {
        Err("it must be host names without ports, such as desk.local *.example.org".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::HostNames;

    #[test]
    fn a_list_has_names_without_ports() {
        for wrong in ["desk.local:8080", "http://desk.local", "*", "*.", "a/b"] {
            assert!(wrong.parse::<HostNames>().is_err(), "{wrong}");
        }
        assert_eq!("".parse(), Ok(HostNames::default()));
    }
}
