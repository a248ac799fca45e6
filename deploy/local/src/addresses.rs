//! What an operator reads when the practice is ready: its addresses, and how its owner signs in.
use crate::options::{Form, Options};
use machine::output;
use machine::owner::Owner;
use std::path::Path;

/// Prints it.
pub(crate) fn print(options: &Options, owner: Option<&Owner>, has_app: bool, own: &Path) {
    for line in lines(options, owner, has_app) {
        output::line(line);
    }
    if owner.is_some_and(|owner| owner.is_new) {
        first_steps(options, own).iter().for_each(output::line);
    }
}

/// Where a person goes who has started it for the first time.
fn first_steps(options: &Options, own: &Path) -> [String; 3] {
    [
        format!("1. The site:  {}", options.public_url),
        format!("2. The inbox: {}/inbox, where every mail of it arrives", options.sandbox_url),
        format!(
            "3. Change first: your name and prices in {}, then `sukoon practice apply`",
            own.display()
        ),
    ]
}

fn lines(options: &Options, owner: Option<&Owner>, has_app: bool) -> Vec<String> {
    let mut lines = vec![format!("Sukoon is ready: {}", options.public_url)];
    if let Some(Owner { email, password, is_new }) = owner {
        lines.extend([
            if *is_new {
                format!("  its owner signs in: {email} with the password {password}")
            } else {
                format!("  its owner signs in: {email} with the password that `sukoon owner` says")
            },
            second_step(options, has_app),
            "  signed in, the Admin button at the bottom right takes the same password".to_owned(),
        ]);
    }
    lines.extend([
        format!("  mail it sends:     {}/inbox", options.sandbox_url),
        format!("  its third parties: {} (simulated)", options.sandbox_url),
        match options.form {
            Form::Many => {
                "  its form:          many, each service a process of its own; \
                           `FORM=small make run` starts all as one"
            }
            Form::Small => {
                "  its form:          small, all services in one process; `make run` starts \
                            each as one of its own"
            }
        }
        .to_owned(),
        "  Ctrl-C stops it.".to_owned(),
    ]);
    lines
}

fn second_step(options: &Options, has_app: bool) -> String {
    if has_app {
        return "  its second step:   `sukoon owner code` prints the code; the commands here \
                show it by themselves"
            .to_owned();
    }
    format!(
        "  its second step:   at {}: a passkey or an authenticator app, which staff calls need",
        by_name(&format!("{}/account#second-step", options.public_url))
    )
}

/// The address with this machine's name: passkeys do not work at a number.
fn by_name(url: &str) -> String {
    url.replacen("//127.0.0.1", "//localhost", 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::environment::Environment;

    #[test]
    fn the_second_step_is_set_up_at_a_name_because_passkeys_need_one() {
        let second_step = |environment: &Environment| {
            let options = Options::read(environment).unwrap();
            let (email, password) = ("meera@sukoon.example".to_owned(), "a word".to_owned());
            let lines = lines(&options, Some(&Owner { email, password, is_new: true }), false);
            lines.into_iter().find(|line| line.contains("its second step")).unwrap()
        };
        let own = second_step(&Environment::from([("PORT", "8123")]));
        assert!(own.contains("at http://localhost:8123/account#second-step:"), "{own}");
        let public = [("PUBLIC_URL", "https://sukoon.example")];
        let public = second_step(&Environment::from(public));
        assert!(public.contains("at https://sukoon.example/account#second-step:"), "{public}");
        let options = Options::read(&Environment::from([("PORT", "8123")])).unwrap();
        let without = lines(&options, None, false).join("\n");
        assert!(!without.contains("second step") && without.contains("Ctrl-C"), "{without}");
    }

    #[test]
    fn the_first_start_ends_with_the_site_the_inbox_and_what_to_change() {
        let options = Options::read(&Environment::from([("PORT", "8123")])).unwrap();
        let [site, inbox, change] = first_steps(&options, Path::new("/srv/own"));
        assert!(site.ends_with(":8123"), "{site}");
        assert!(inbox.contains("/inbox"), "{inbox}");
        assert!(change.contains("/srv/own") && change.contains("practice apply"), "{change}");
    }

    #[test]
    fn the_last_lines_say_the_form_and_the_word_for_the_other() {
        for (form, other) in [("many", "`FORM=small make run`"), ("small", "`make run`")] {
            let options = Options::read(&Environment::from([("FORM", form)])).unwrap();
            let lines = lines(&options, None, false);
            let line = lines.iter().find(|line| line.contains("its form:")).unwrap();
            assert!(line.contains(&format!("{form}, ")) && line.contains(other), "{line}");
        }
    }

    #[test]
    fn the_password_is_said_only_by_the_start_that_makes_it() {
        let options = Options::read(&Environment::from([])).unwrap();
        let said = |is_new| {
            let (email, password) = ("meera@sukoon.example".to_owned(), "a-word".to_owned());
            lines(&options, Some(&Owner { email, password, is_new }), true).join("\n")
        };
        assert!(said(true).contains("meera@sukoon.example with the password a-word\n"));
        assert!(said(true).contains("`sukoon owner code`"));
        assert!(!said(false).contains("a-word") && said(false).contains("`sukoon owner`"));
    }
}
