//! Where everything of an installed practice lies.
use machine::environment::Environment;
use machine::practice::{Places, Renderer, Store};
use std::path::{Path, PathBuf};

/// The folders, all below `/` or, for trials, below another folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
    /// The files that systemd hands to a unit alone.
    credentials: Option<PathBuf>,
}

impl Layout {
    /// Where `sukoon look` leaves its figures for `sukoon watch`.
    pub(crate) const LOOK_FILE: &'static str = "/run/sukoon-look/metrics";

    /// The folders below `SUKOON_ROOT`, or below `/`.
    pub fn of(environment: &Environment) -> Self {
        Self {
            root: PathBuf::from(environment.get("SUKOON_ROOT").unwrap_or("/")),
            credentials: environment.get("CREDENTIALS_DIRECTORY").map(PathBuf::from),
        }
    }

    /// The same, if a practice was set up there.
    pub fn installed(environment: &Environment) -> Option<Self> {
        let layout = Self::of(environment);
        layout.backrest_configuration().is_file().then_some(layout)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// A text in which absolute paths stand, with the paths as they are here.
    pub(crate) fn rooted(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if self.root != Path::new("/") {
            for folder in ["/etc/sukoon", "/var/lib/sukoon", "/run/sukoon-postgres"] {
                text = text.replace(folder, &self.at(folder).to_string_lossy());
            }
        }
        text
    }

    /// The configuration.
    pub(crate) fn configuration(&self) -> PathBuf {
        self.at("/etc/sukoon")
    }

    /// The practice's own files.
    pub(crate) fn practice(&self) -> PathBuf {
        self.configuration().join("practice")
    }

    /// Where the practice's files, revisions and pages are.
    pub(crate) fn practice_places(&self) -> Places {
        let built = PathBuf::from("/usr/share/sukoon/web");
        Places {
            own: self.practice(),
            store: Some(self.revisions()),
            renderer: Renderer::find(Path::new("/usr/share/sukoon/renderer"), &built)
                .map(|renderer| renderer.as_user("nobody")),
            built,
            is_built_of_own: false,
        }
    }

    /// The revisions of the practice's files.
    pub(crate) fn revisions(&self) -> Store {
        Store::at(self.at("/var/lib/sukoon/practice"))
    }

    /// The file of a unit's settings.
    pub(crate) fn environment_file(&self, name: &str) -> PathBuf {
        self.configuration().join("env").join(format!("{name}.env"))
    }

    /// The same file where this process can read it: a unit that is no process of root has it as
    /// a credential.
    pub(crate) fn settings_file(&self, name: &str) -> PathBuf {
        let credential = self.credentials.as_ref().map(|folder| folder.join(name));
        let credential = credential.filter(|path| path.is_file());
        credential.unwrap_or_else(|| self.environment_file(name))
    }

    /// The secrets.
    pub(crate) fn secrets(&self) -> PathBuf {
        self.configuration().join("secrets")
    }

    /// pgBackRest's configuration.
    pub(crate) fn backrest_configuration(&self) -> PathBuf {
        self.configuration().join("pgbackrest.conf")
    }

    /// The folder with what is secret of it, and with the key of the pictures.
    pub(crate) fn backrest_secrets(&self) -> PathBuf {
        self.configuration().join("pgbackrest.d")
    }

    /// The cluster.
    pub(crate) fn cluster(&self) -> PathBuf {
        self.at("/var/lib/sukoon/postgres")
    }

    /// The folder of the cluster's socket.
    pub(crate) fn socket(&self) -> PathBuf {
        self.at("/run/sukoon-postgres")
    }

    /// The pictures of reviews.
    pub(crate) fn pictures(&self) -> PathBuf {
        self.at("/var/lib/sukoon/reviews/pictures/reviews")
    }

    /// Backups of pictures, and of the cluster where they stay on this machine.
    pub(crate) fn backups(&self) -> PathBuf {
        self.at("/var/lib/sukoon/backup")
    }

    /// The broker's streams, which may be deleted.
    pub(crate) fn streams(&self) -> PathBuf {
        self.at("/var/lib/sukoon/nats")
    }

    /// What the operator's commands keep: results of drills, scratch clusters.
    pub(crate) fn operations(&self) -> PathBuf {
        self.at("/var/lib/sukoon/operations")
    }

    /// Whether this is the machine itself and no trial, so that systemd runs everything.
    pub(crate) fn is_the_machine(&self) -> bool {
        self.root == Path::new("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_lies_below_its_folder_and_so_do_the_paths_in_its_files() {
        let layout = Layout::of(&Environment::from([("SUKOON_ROOT", "/tmp/trial")]));
        assert_eq!(layout.cluster(), Path::new("/tmp/trial/var/lib/sukoon/postgres"));
        assert_eq!(layout.rooted("pg1-path=/var/lib/sukoon/postgres"), {
            "pg1-path=/tmp/trial/var/lib/sukoon/postgres"
        });
        let real = Layout::of(&Environment::default());
        assert_eq!(real.rooted("x /etc/sukoon y"), "x /etc/sukoon y");
        assert!(real.is_the_machine() && !layout.is_the_machine());
    }
}
