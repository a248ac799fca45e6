//! Places in the code at which a test may end the process as a power cut would.
//!
//! Every durable step passes one before it is done and one after. Only builds with debug assertions
//! have them, and only a service that was started with `FAILPOINTS_DIR` uses them: it notes each
//! passed one in `<dir>/seen/<name>`, and ends itself with SIGKILL where it finds
//! `<dir>/arm/<name>`. It moves that file to `<dir>/died/<name>` first, so that one process dies
//! once. Release builds have no failpoints.

use std::path::PathBuf;

use crate::settings::Reader;

/// A durable step's name, taken before the step begins.
#[derive(Debug, Clone)]
pub struct Step {
    #[cfg(debug_assertions)]
    name: Option<String>,
}

impl Step {
    /// The step of a function. `W` is a closure in it, whose type name contains the function's
    /// name, so a new step has a name by itself.
    #[must_use]
    pub fn of<W>() -> Self {
        Self {
            #[cfg(debug_assertions)]
            name: active::label_of(std::any::type_name::<W>()),
        }
    }

    /// Passes the place of this name in the step, for example `before-commit`.
    pub fn pass(&self, place: &str) {
        #[cfg(debug_assertions)]
        if let Some(name) = &self.name {
            active::pass(&format_args!("{name}.{place}"));
        }
        #[cfg(not(debug_assertions))]
        let _unused = place;
    }
}

/// Passes the place of this name. It may hold letters, digits, `.`, `-` and `_`; the service's
/// name is put before it.
pub fn pass(name: &dyn std::fmt::Display) {
    #[cfg(debug_assertions)]
    active::pass(name);
    #[cfg(not(debug_assertions))]
    let _unused = name;
}

/// The folder of a service's failpoints, if it is started with `FAILPOINTS_DIR`; none in a release
/// build.
pub(crate) fn folder(reader: &Reader<'_>) -> Option<PathBuf> {
    let path = reader.optional("FAILPOINTS_DIR").filter(|_path| cfg!(debug_assertions))?;
    let folder = PathBuf::from(path);
    let make = |part: &&str| std::fs::create_dir_all(folder.join(part)).is_ok();
    ["seen", "arm", "died"].iter().all(make).then_some(folder)
}

/// `work`, whose steps are called `name` whatever function they are in.
pub fn named<F: Future>(
    name: &dyn std::fmt::Display,
    work: F,
) -> impl Future<Output = F::Output> + use<F> {
    #[cfg(debug_assertions)]
    return active::labelled(name, false, work);
    #[cfg(not(debug_assertions))]
    {
        let _unused = name;
        work
    }
}

/// `work`, whose steps' names begin with `prefix`.
pub fn under<F: Future>(
    prefix: &dyn std::fmt::Display,
    work: F,
) -> impl Future<Output = F::Output> + use<F> {
    #[cfg(debug_assertions)]
    return active::labelled(prefix, true, work);
    #[cfg(not(debug_assertions))]
    {
        let _unused = prefix;
        work
    }
}

#[cfg(debug_assertions)]
mod active {
    use std::collections::BTreeSet;
    use std::fmt::Display;
    use std::fs;
    use std::path::Path;
    use std::sync::{Mutex, PoisonError};

    use rustix::process::{Signal, getpid, kill_process};

    use crate::scope::Scope;

    /// What this process has noted already, with the services' names.
    static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

    /// Whether the service that is at work here has failpoints.
    fn is_on() -> bool {
        Scope::current().is_some_and(|scope| scope.failpoints().is_some())
    }

    #[derive(Clone)]
    struct Label {
        text: String,
        is_prefix: bool,
    }

    tokio::task_local! {
        static LABEL: Label;
    }

    pub(super) fn labelled<F: Future>(
        text: &dyn Display,
        is_prefix: bool,
        work: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        // Without a folder names are not needed, and the text is empty.
        let text = if is_on() { text.to_string() } else { String::new() };
        LABEL.scope(Label { text, is_prefix }, work)
    }

    /// The step's name, where failpoints are on.
    pub(super) fn label_of(type_name: &str) -> Option<String> {
        if !is_on() {
            return None;
        }
        let step = step_name(type_name);
        let label = LABEL.try_with(Clone::clone).ok();
        Some(match label {
            // The program's name stands before everything already.
            Some(Label { text, is_prefix: true }) => {
                let inside = step.split_once('.').map_or(step.as_str(), |(_crate, rest)| rest);
                format!("{text}.{inside}")
            }
            Some(Label { text, is_prefix: false }) => text,
            None => step,
        })
    }

    pub(super) fn pass(name: &dyn Display) {
        let Some(scope) = Scope::current() else { return };
        let Some(folder) = scope.failpoints() else { return };
        // Each service has a relay, and each relay is a place of its own.
        let name = file_name(scope.service(), &name.to_string());
        note(folder, &name);
        // The process that moves the file dies; for all others the file is gone.
        if fs::rename(folder.join("arm").join(&name), folder.join("died").join(&name)).is_ok() {
            die();
        }
    }

    fn note(folder: &Path, name: &str) {
        let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.contains(name) {
            // A note that fails is written at the next pass.
            if fs::write(folder.join("seen").join(name), "").is_ok() {
                seen.insert(name.to_owned());
            }
        }
    }

    fn die() -> ! {
        loop {
            kill_process(getpid(), Signal::KILL).ok();
        }
    }

    /// The path of a function without what makes a closure of it: generics, closures, repetitions.
    pub(super) fn step_name(type_name: &str) -> String {
        let mut depth = 0_usize;
        let plain: String = type_name
            .chars()
            .filter(|letter| {
                let inside = depth > 0;
                match letter {
                    '<' => depth += 1,
                    '>' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                !inside && !matches!(letter, '<' | '>')
            })
            .collect();
        let mut parts: Vec<&str> = plain.split("::").collect();
        parts.retain(|part| !part.is_empty() && !part.contains("{{"));
        parts.dedup();
        parts.join(".")
    }

    /// The name with the program's before it, in letters that every file system takes.
    pub(super) fn file_name(program: &str, name: &str) -> String {
        let safe = |letter: char| {
            let good = letter.is_ascii_alphanumeric() || ".-_".contains(letter);
            if good { letter } else { '_' }
        };
        let name: String = name.chars().map(safe).collect();
        let rest = name.strip_prefix(program).filter(|rest| rest.starts_with(['.', '-']));
        match rest {
            Some(rest) => format!("{program}.{}", rest.trim_start_matches(['.', '-'])),
            None => format!("{program}.{name}"),
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::active::{file_name, label_of, step_name};

    #[test]
    fn a_step_is_called_as_its_function() {
        let closure = "booking::app::request_booking::request_booking::{{closure}}::{{closure}}";
        assert_eq!(step_name(closure), "booking.app.request_booking");
        let generic = "mail::Sending<alloc::vec::Vec<u8>>::write<T>::{{closure}}";
        assert_eq!(step_name(generic), "mail.Sending.write");
    }

    #[test]
    fn a_name_is_a_file_of_its_program() {
        assert_eq!(file_name("booking", "booking.app.sweep"), "booking.app.sweep");
        assert_eq!(file_name("booking", "booking-on-payments.X"), "booking.on-payments.X");
        assert_eq!(file_name("payments", "relay/../x"), "payments.relay_.._x");
    }

    #[test]
    fn who_was_not_asked_has_no_names() {
        assert_eq!(label_of("a::b"), None);
        super::pass(&"nothing-happens");
        super::Step::of::<u8>().pass("before-commit");
    }
}
