//! `make` builds the pages of the practice that `PRACTICE_DIR` names. A fake npm records what it is
//! asked to build.
use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Records the practice, and whether it has a file that older practices lack. Can be made to fail.
const NPM: &str = "#!/bin/sh
folder=$(dirname \"$0\")
complete=
test ! -f \"$PRACTICE_DIR/about.toml\" || complete=', complete'
echo \"${PRACTICE_DIR:-ours}$complete\" > \"$folder/built\"
test ! -f \"$folder/broken\"
";

/// The sources of a site, and a practice that was set up with an older version.
struct Site {
    folder: PathBuf,
    checkout: PathBuf,
}

impl Site {
    fn new(name: &str) -> Result<Self> {
        let name = format!("{name}-{}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        for part in ["src", "public", "dist", "node_modules"] {
            fs::create_dir_all(folder.join("web").join(part))?;
        }
        for part in ["npm", "my practice/media"] {
            fs::create_dir_all(folder.join(part))?;
        }
        let sources = ["index.html", "vite.config.ts", "package-lock.json", "tsconfig.json"];
        // The dependencies are installed, and an earlier build exists.
        let there = ["node_modules/.sukoon-installed", "dist/index.html"];
        for file in sources.into_iter().chain(there) {
            fs::write(folder.join("web").join(file), "")?;
        }
        fs::write(folder.join("my practice/practice.toml"), "")?;
        fs::write(folder.join("npm/npm"), NPM)?;
        let made = Command::new("chmod").arg("+x").arg(folder.join("npm/npm")).status()?;
        ensure!(made.success(), "npm cannot be made");
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let checkout = here.ancestors().nth(2).context("there is no checkout")?.to_owned();
        Ok(Self { folder, checkout })
    }

    fn mine(&self) -> PathBuf {
        self.folder.join("my practice")
    }

    /// Runs `make web`. Returns whether it succeeded, and what was built, if anything.
    fn make(&self, practice: &Path) -> Result<(bool, Option<String>)> {
        let done = Command::new("sh")
            .args(["-c", "PATH=\"$0:$PATH\"; exec make --silent web \"$@\""])
            .arg(self.folder.join("npm"))
            .arg(format!("WEB={}", self.folder.join("web").display()))
            .arg(format!("SUKOON={}", env!("CARGO_BIN_EXE_sukoon")))
            .arg("BUILD=true")
            .current_dir(&self.checkout)
            .env("PRACTICE_DIR", practice)
            // This test may itself be run by make, with its own flags.
            .env_remove("MAKEFLAGS")
            .env_remove("MAKEOVERRIDES")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .context("make cannot be started")?;
        let note = self.folder.join("npm/built");
        let built = fs::read_to_string(&note).ok().map(|text| text.trim_end().to_owned());
        if built.is_some() {
            fs::remove_file(note)?;
        }
        Ok((done.success(), built))
    }

    fn built(&self, practice: impl AsRef<Path>) -> Result<Option<String>> {
        let practice = practice.as_ref();
        let (done, built) = self.make(practice)?;
        ensure!(done, "the pages of {practice:?} cannot be built");
        Ok(built)
    }
}

#[test]
fn pages_are_those_of_the_practice_that_is_named() -> Result<()> {
    let site = Site::new("pages")?;
    let mine = site.mine();
    let of_mine = Some(format!("{}, complete", mine.display()));
    // An empty name counts as missing.
    assert_eq!(site.built("")?.as_deref(), Some("ours"));
    assert_eq!(site.built("")?, None);
    // Missing files are added to the folder before it is read.
    assert_eq!(site.built(&mine)?, of_mine);
    assert_eq!(site.built(&mine)?, None);
    for changed in ["services.toml", "media/portrait.jpg"] {
        fs::write(mine.join(changed), "changed")?;
        assert_eq!(site.built(&mine)?, of_mine, "{changed}");
    }
    fs::write(mine.join(".notes"), "not for the site")?;
    assert_eq!(site.built(&mine)?, None);
    assert_eq!(site.built("")?.as_deref(), Some("ours"));
    // A relative name is relative to the current folder and not to the site's folder.
    let ours = site.checkout.join("deploy/local/practice");
    let of_ours = format!("{}, complete", ours.display());
    assert_eq!(site.built("deploy/local/practice")?, Some(of_ours));
    fs::remove_dir_all(site.folder)?;
    Ok(())
}

#[test]
fn a_build_that_failed_leaves_no_site_behind() -> Result<()> {
    let site = Site::new("broken")?;
    assert_eq!(site.built("")?.as_deref(), Some("ours"));
    let broken = site.folder.join("npm/broken");
    fs::write(&broken, "")?;
    assert!(!site.make(&site.mine())?.0);
    fs::remove_file(&broken)?;
    assert_eq!(site.built("")?.as_deref(), Some("ours"));
    fs::remove_dir_all(site.folder)?;
    Ok(())
}
