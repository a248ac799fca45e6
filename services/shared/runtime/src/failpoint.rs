//! Places in the code at which a test may end the process as a power cut would.
//!
//! Every durable step passes one before it is done and one after. Only builds with debug assertions
//! have them, and only a process that was started with `FAILPOINTS_DIR` uses them: it notes each
//! passed one in `<dir>/seen/<name>`, and ends itself with SIGKILL where it finds
//! `<dir>/arm/<name>`. It moves that file to `<dir>/died/<name>` first, so that one process dies
//! once. Release builds have no failpoints.

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

/// Sets the name of this process's service; called before the first failpoint.
pub(crate) fn in_service(name: &'static str) {
    #[cfg(debug_assertions)]
    active::in_service(name);
    #[cfg(not(debug_assertions))]
    let _unused = name;
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
    use std::path::{Path, PathBuf};
    use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

    use rustix::process::{Signal, getpid, kill_process};

    use crate::settings::{Environment, Source as _};

    /// The folder, if this process was started with one.
    static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let folder = PathBuf::from(Environment.get("FAILPOINTS_DIR")?);
        ["seen", "arm", "died"]
            .iter()
            .all(|part| fs::create_dir_all(folder.join(part)).is_ok())
            .then_some(folder)
    });

    static SERVICE: OnceLock<&'static str> = OnceLock::new();

    /// The service's name, or else the program's: each service has a relay, and each relay is a
    /// place of its own.
    static PROGRAM: LazyLock<String> = LazyLock::new(|| {
        if let Some(service) = SERVICE.get() {
            return (*service).to_owned();
        }
        // Not the running file's name: that changes when the program is built anew meanwhile.
        let program = std::env::args_os().next().map(PathBuf::from);
        let name = program.as_deref().and_then(Path::file_stem);
        name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    });

    /// What was noted already.
    static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

    pub(super) fn in_service(name: &'static str) {
        // A process is one service, so a second call has the same name.
        SERVICE.set(name).ok();
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
        let text = FOLDER.as_ref().map(|_folder| text.to_string()).unwrap_or_default();
        LABEL.scope(Label { text, is_prefix }, work)
    }

    /// The step's name, where failpoints are on.
    pub(super) fn label_of(type_name: &str) -> Option<String> {
        FOLDER.as_ref()?;
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
        let Some(folder) = FOLDER.as_deref() else { return };
        let name = file_name(&PROGRAM, &name.to_string());
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
