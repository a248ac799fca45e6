//! The checker as a program: `checker` reads the stores of a practice, prints what is wrong, and
//! ends with 1 when an invariant is broken. It must never write.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};
use checker::{ProviderReader, ProviderSettings, Report, check_practice, stores};
use runtime::{Program, Reader, Shutdown};

/// Everything that has to be known.
#[derive(Debug)]
struct Config {
    stores: stores::Settings,
    provider: ProviderSettings,
    is_json: bool,
}

impl Config {
    fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            stores: stores::Settings::read(reader),
            provider: ProviderSettings::read(reader),
            is_json: reader.optional("CHECK_FORMAT").as_deref() == Some("json"),
        }
    }
}

fn main() -> ExitCode {
    Program::new("checker").serve(Config::read, run).main()
}

async fn run(config: Config, shutdown: Shutdown) -> Result<()> {
    let checking = async {
        let mut stores = stores::Stores::open(&config.stores).await?;
        let provider = ProviderReader::of(&config.provider)?;
        check_practice(&mut stores, provider, config.provider.days).await
    };
    let report = tokio::select! {
        report = checking => report?,
        () = shutdown.wait() => bail!("the check was stopped before its end"),
    };
    print(&report, config.is_json)?;
    if report.is_sound() {
        return Ok(());
    }
    bail!("what is stored is not as it must be")
}

fn print(report: &Report, is_json: bool) -> Result<()> {
    let mut out = std::io::stdout().lock();
    if is_json {
        writeln!(out, "{:#}", report.to_json())?;
    } else {
        write!(out, "{report}")?;
    }
    Ok(())
}
