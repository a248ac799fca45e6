//! Who signs in where, and where the second step comes from.
use crate::kept::KeptSession;
use crate::tokens::Tokens;
use anyhow::{Context, Result, bail};
use machine::app_codes::{Next, OwnerApp};
use machine::environment::Environment;
use machine::owner;
use machine::paths::Paths;
use machine::run_state;
use std::io::{BufRead, IsTerminal as _, Write as _};
use std::time::Duration;

/// Where codes of an authenticator app come from.
pub(crate) enum SecondStep {
    /// The app of this machine's owner.
    Own(OwnerApp),
    /// A person: the code of `SUKOON_CODE`, or what is typed.
    Typed(Option<String>),
}

impl SecondStep {
    /// Whether a code can be had for the account of this session.
    pub(crate) fn is_at_hand(&self, tokens: &Tokens) -> bool {
        match self {
            Self::Own(_) => tokens.app_id.is_some(),
            Self::Typed(Some(_)) => true,
            Self::Typed(None) => tokens.app_id.is_some() && std::io::stdin().is_terminal(),
        }
    }

    /// Whether it is the app of this machine's owner.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }

    /// A code, at this time of the identity service.
    pub(crate) async fn code(&self, mut seconds: i64) -> Result<String> {
        match self {
            Self::Own(app) => loop {
                match app.next(seconds)? {
                    Next::Code(code) => return Ok(code),
                    Next::Wait(wait) => {
                        tokio::time::sleep(Duration::from_secs(wait)).await;
                        seconds += i64::try_from(wait).unwrap_or(0);
                    }
                }
            },
            Self::Typed(Some(code)) => Ok(code.clone()),
            Self::Typed(None) => ask_for_code(),
        }
    }

    /// What to do about a code that was refused.
    pub(crate) fn refused(&self) -> String {
        match self {
            Self::Own(app) => format!(
                "the owner has another authenticator app than that of {}; remove that file, and \
                 give the app's code in SUKOON_CODE",
                app.file().display()
            ),
            Self::Typed(Some(_)) => {
                "the code of SUKOON_CODE was refused; take the next one that the app shows"
                    .to_owned()
            }
            Self::Typed(None) => {
                "the code was refused; take the next one that the app shows".to_owned()
            }
        }
    }
}

fn ask_for_code() -> Result<String> {
    if !std::io::stdin().is_terminal() {
        bail!(
            "the second step is asked for: set SUKOON_CODE to the code that the account's \
             authenticator app shows"
        );
    }
    let mut screen = std::io::stderr().lock();
    write!(screen, "Code of the authenticator app: ")
        .and_then(|()| screen.flush())
        .context("no code can be asked for")?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).context("no code can be read")?;
    Ok(line.trim().to_owned())
}

/// The address of a practice, and the account to sign in with.
pub(crate) struct Credentials {
    /// The practice.
    pub(crate) url: String,
    /// The practice's address for clients, with which links begin.
    pub(crate) site: String,
    /// The account.
    pub(crate) email: String,
    /// Its password.
    pub(crate) password: String,
    /// Where codes of the account's authenticator app come from.
    pub(crate) second_step: SecondStep,
    /// Where the session stays for the next command.
    pub(crate) kept: Option<KeptSession>,
    /// Where the health report is; only known of the practice that runs on this machine.
    pub(crate) inner_url: Option<String>,
}

impl Credentials {
    /// The practice and the account that the environment names; by default the practice that runs
    /// on this machine, and its owner. A server with the package has no owner's password, so the
    /// account is always named there.
    pub(crate) fn find(environment: &Environment, paths: Option<&Paths>) -> Result<Self> {
        let running =
            paths.map(|paths| run_state::running_practice(&paths.data)).unwrap_or_default();
        let of_server = |name: &str| environment.get(name).map(str::to_owned);
        let inner_url = running.inner_url().or_else(|| of_server("SUKOON_SERVER_INNER_URL"));
        let given = environment.get("SUKOON_URL").map(|url| url.trim_end_matches('/').to_owned());
        let server = of_server("SUKOON_SERVER_URL");
        let url = given.clone().or(running.public_url).or(server.clone()).context(
            "no practice runs on this machine: start one with `make run`, or set SUKOON_URL to \
             the address of yours",
        )?;
        let person = (environment.get("SUKOON_EMAIL"), environment.get("SUKOON_PASSWORD"));
        let code = environment.get("SUKOON_CODE").map(str::to_owned);
        let mut second_step = SecondStep::Typed(code);
        let mut kept = None;
        let (email, password) = match person {
            (Some(email), Some("-")) => (email.to_owned(), read_line(std::io::stdin().lock())?),
            (Some(email), Some(password)) => (email.to_owned(), password.to_owned()),
            (None, None) if given.is_none() && server.as_ref() != Some(&url) => {
                let paths = paths.context("the data folder is not known")?;
                let email = running.owner_email.context(
                    "this practice has no owner of ours; set SUKOON_EMAIL and SUKOON_PASSWORD",
                )?;
                let app = OwnerApp::of(&paths.data);
                if app.exists() {
                    second_step = SecondStep::Own(app);
                }
                kept = Some(KeptSession::of_owner(&paths.data));
                (email, owner::password(&paths.data)?)
            }
            // The password of this machine's owner is never sent to another address.
            _ => bail!(
                "set SUKOON_EMAIL and SUKOON_PASSWORD to sign in; with SUKOON_PASSWORD=- the \
                 password is read from standard input"
            ),
        };
        if !url.starts_with("https://") && !is_loopback(&url) {
            bail!("{url} is not https, so a password would travel in the open");
        }
        let kept = kept.or_else(|| KeptSession::of_person(environment, &url, &email));
        let inner_url = inner_url.filter(|_| given.is_none());
        // Clients have no use for a loopback address of this machine.
        let public = of_server("SUKOON_PUBLIC_URL").filter(|_| is_loopback(&url));
        let site = public.unwrap_or_else(|| url.clone());
        Ok(Self { url, site, email, password, second_step, kept, inner_url })
    }
}

/// A password that is not in the environment, where other programs and the shell's history have it.
fn read_line(mut input: impl BufRead) -> Result<String> {
    let mut line = String::new();
    input.read_line(&mut line).context("the password cannot be read")?;
    let password = line.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        bail!("SUKOON_PASSWORD is -, and no password came on standard input");
    }
    Ok(password.to_owned())
}

/// Whether requests to an address stay on this machine.
fn is_loopback(url: &str) -> bool {
    let host = url.strip_prefix("http://").unwrap_or_default();
    let host = host.split(['/', ':']).next().unwrap_or_default();
    matches!(host, "127.0.0.1" | "localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<const N: usize>(pairs: [(&str, &str); N]) -> Result<Credentials> {
        Credentials::find(&Environment::from(pairs), None)
    }

    #[test]
    fn another_practice_needs_a_sign_in_of_its_own() {
        let told = found([("SUKOON_URL", "https://sukoon.example")]).err().unwrap().to_string();
        assert!(told.contains("SUKOON_EMAIL"), "{told}");
        let address = found([
            ("SUKOON_URL", "https://sukoon.example/"),
            ("SUKOON_EMAIL", "meera@sukoon.example"),
            ("SUKOON_PASSWORD", "a quiet garden"),
        ])
        .unwrap();
        assert_eq!(address.url, "https://sukoon.example");
    }

    #[test]
    fn a_password_comes_on_standard_input_too() {
        assert_eq!(read_line(&b"a quiet garden\r\nmore"[..]).unwrap(), "a quiet garden");
        assert!(read_line(&b"\n"[..]).is_err());
    }

    #[test]
    fn a_password_is_not_sent_without_encryption() {
        for (url, fine) in [
            ("http://sukoon.example", false),
            ("http://127.0.0.1.evil.example", false),
            ("http://127.0.0.1:8080", true),
            ("http://localhost:8080", true),
        ] {
            let found = found([
                ("SUKOON_URL", url),
                ("SUKOON_EMAIL", "meera@sukoon.example"),
                ("SUKOON_PASSWORD", "a quiet garden"),
            ]);
            assert_eq!(found.is_ok(), fine, "{url}");
        }
    }

    #[test]
    fn a_server_is_asked_on_loopback_and_its_links_are_those_of_clients() {
        let server = [
            ("SUKOON_SERVER_URL", "http://127.0.0.1:7480"),
            ("SUKOON_PUBLIC_URL", "https://book.example.org"),
        ];
        let told = found(server).err().unwrap().to_string();
        assert!(told.contains("SUKOON_EMAIL") && !told.contains("make run"), "{told}");
        let person = [("SUKOON_EMAIL", "asha@example.org"), ("SUKOON_PASSWORD", "a quiet garden")];
        let [(url, here), (public, site)] = server;
        let signed_in = found([(url, here), (public, site), person[0], person[1]]).unwrap();
        assert_eq!((signed_in.url.as_str(), signed_in.site.as_str()), (here, site));
        // An address that a person names stays as it is, but for loopback.
        for (given, links) in [(here, site), ("https://other.example", "https://other.example")] {
            let given = ("SUKOON_URL", given);
            let found = found([given, (public, site), person[0], person[1]]).unwrap();
            assert_eq!(found.site, links);
        }
    }

    #[test]
    fn without_a_running_practice_the_error_gives_advice() {
        let told = found([]).err().unwrap().to_string();
        assert!(told.contains("make run") && told.contains("SUKOON_URL"), "{told}");
    }
}
