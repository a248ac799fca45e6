//! `notifications render <folder>`: renders every mail in every variant from sample facts to files.
//! It needs only the practice's files: no database, no network.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use runtime::Reader;
use runtime::settings::Environment;
use runtime::status::chain;

use crate::templates::Templates;
use crate::templates::template_context::TemplateContext;

pub mod samples;

use self::samples::{Sample, Typed};

/// The default of `PUBLIC_URL`.
const PUBLIC_URL: &str = "http://127.0.0.1:8080";

/// What rendering needs.
struct Config {
    practice_dir: std::path::PathBuf,
    public_url: String,
}

/// Writes the mails into a folder and prints their number.
#[must_use]
pub fn command(folder: &Path) -> ExitCode {
    // A failed write to the terminal is ignored; the exit code is enough.
    match write(folder) {
        Ok(mails) => {
            writeln!(std::io::stdout(), "{mails} mails in {}", folder.display()).ok();
            ExitCode::SUCCESS
        }
        Err(error) => {
            writeln!(std::io::stderr(), "notifications: {}", chain(error.as_ref())).ok();
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path) -> anyhow::Result<usize> {
    let mut reader = Reader::new(&Environment);
    let config = Config {
        practice_dir: reader.path("PRACTICE_DIR"),
        public_url: reader.text_or("PUBLIC_URL", PUBLIC_URL),
    };
    let config = reader.finish(config)?;
    let context =
        TemplateContext::load(&config.practice_dir, config.public_url.trim_end_matches('/'))?;
    let templates = Templates::new()?;
    fs::create_dir_all(folder)?;
    let samples = samples::all(&Typed::usual());
    for sample in &samples {
        write_one(folder, &context, &templates, sample)?;
    }
    Ok(samples.len())
}

fn write_one(
    folder: &Path,
    context: &TemplateContext,
    templates: &Templates,
    sample: &Sample,
) -> anyhow::Result<()> {
    let variables = context.variables(&sample.facts, &sample.render_input())?;
    let rendered = templates.render(sample.kind, &variables)?;
    let file = |ending: &str| folder.join(format!("{}.{ending}", sample.name()));
    fs::write(file("html"), rendered.html)?;
    fs::write(file("txt"), rendered.text)?;
    fs::write(file("subject"), rendered.subject + "\n")?;
    Ok(())
}
