//! `sukoon look`: figures of this machine that no service tells, as Prometheus' text, which
//! `sukoon watch` reads. A timer calls it every two minutes; `sukoon status` shows the same.
use super::backrest;
use super::files::SITE;
use super::layout::Layout;
use super::moments;
use super::outside;
use super::power;
use anyhow::{Context, Result};
use machine::output;
use machine::process::output_of;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

/// What was found; none where it cannot be found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    /// How full the volume of the data is, in percent.
    pub(crate) data_percent: Option<u64>,
    /// How full the volume of the backups is, in percent.
    pub(crate) backups_percent: Option<u64>,
    /// Whether the log of changes cannot be archived.
    pub(crate) archiving_fails: Option<bool>,
    /// Seconds since the last backup.
    pub(crate) backup_age: Option<i64>,
    /// For how many days the site's certificate is good; an error where visitors do not reach it.
    pub(crate) certificate_days: Option<Result<i64, String>>,
    /// Whether the clock follows a time server.
    pub(crate) clock_synchronised: Option<bool>,
}

impl Figures {
    /// Looks at everything.
    pub(crate) async fn take(layout: &Layout) -> Self {
        let site = fs::read_to_string(layout.configuration().join(SITE)).ok();
        let domain = site.as_deref().and_then(|site| site.trim().strip_prefix("https://"));
        let certificate_days = match domain {
            Some(domain) => Some(outside::days_left(domain).await.map_err(|it| format!("{it:#}"))),
            None => None,
        };
        Self {
            data_percent: used_percent(&layout.cluster()),
            backups_percent: used_percent(&layout.backups()),
            archiving_fails: archiving_fails(layout).ok(),
            backup_age: backup_age(layout),
            certificate_days,
            clock_synchronised: clock_synchronised(),
        }
    }

    /// The same as Prometheus reads it.
    fn text(&self) -> String {
        let mut text = String::new();
        let mut tell = |name: &str, value: Option<i64>| {
            if let Some(value) = value {
                text.push_str(&format!("{name} {value}\n"));
            }
        };
        let whole = |value: Option<u64>| value.and_then(|value| i64::try_from(value).ok());
        tell("sukoon_machine_used_percent{volume=\"data\"}", whole(self.data_percent));
        tell("sukoon_machine_used_percent{volume=\"backups\"}", whole(self.backups_percent));
        tell("sukoon_machine_archiving_fails", self.archiving_fails.map(i64::from));
        tell("sukoon_machine_backup_age_seconds", self.backup_age);
        let days = self.certificate_days.as_ref();
        tell("sukoon_machine_site_reached", days.map(|days| i64::from(days.is_ok())));
        let days = days.and_then(|days| days.as_ref().ok()).copied();
        tell("sukoon_machine_certificate_days", days);
        tell("sukoon_machine_clock_synchronised", self.clock_synchronised.map(i64::from));
        text
    }
}

/// Looks, and leaves what was found for `sukoon watch`.
pub(crate) async fn run(layout: &Layout) -> Result<ExitCode> {
    let text = Figures::take(layout).await.text();
    if layout.is_the_machine() {
        // The reader never meets half a file.
        let half = Path::new(Layout::LOOK_FILE).with_extension("half");
        fs::write(&half, text)
            .and_then(|()| fs::rename(&half, Layout::LOOK_FILE))
            .context("no file for it")?;
    } else {
        output::line(text.trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

/// How full the volume of a folder is, as `df` counts it: what only root may use counts as used.
pub(crate) fn used_percent(folder: &Path) -> Option<u64> {
    let there = rustix::fs::statvfs(folder).ok()?;
    percent(there.f_blocks.checked_sub(there.f_bfree)?, there.f_bavail)
}

fn percent(used: u64, free: u64) -> Option<u64> {
    let all = used.checked_add(free)?;
    used.checked_mul(100)?.checked_add(all.saturating_sub(1))?.checked_div(all)
}

/// Whether the last thing that archiving did was to fail.
fn archiving_fails(layout: &Layout) -> Result<bool> {
    let sql = "select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false)
               from pg_stat_archiver";
    Ok(power::cluster(layout)?.ask("postgres", sql)? == "t")
}

fn backup_age(layout: &Layout) -> Option<i64> {
    let newest = backrest::newest(layout).ok()??;
    Some(moments::now().as_second().saturating_sub(newest.ended_at))
}

fn clock_synchronised() -> Option<bool> {
    let mut asked = Command::new("timedatectl");
    let told = output_of(asked.args(["show", "--property=NTPSynchronized", "--value"])).ok()?;
    match told.trim() {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_told_as_prometheus_reads_them_and_what_is_unknown_is_not() {
        let figures = Figures {
            data_percent: Some(86),
            archiving_fails: Some(true),
            backup_age: Some(93_601),
            certificate_days: Some(Ok(13)),
            clock_synchronised: Some(false),
            ..Figures::default()
        };
        assert_eq!(
            figures.text(),
            "sukoon_machine_used_percent{volume=\"data\"} 86\nsukoon_machine_archiving_fails 1\n\
             sukoon_machine_backup_age_seconds 93601\nsukoon_machine_site_reached 1\n\
             sukoon_machine_certificate_days 13\nsukoon_machine_clock_synchronised 0\n"
        );
        let gone = Figures { certificate_days: Some(Err(String::new())), ..Figures::default() };
        assert_eq!(gone.text(), "sukoon_machine_site_reached 0\n");
    }

    #[test]
    fn a_volume_is_as_full_as_df_says() {
        assert_eq!(percent(85, 15), Some(85));
        assert_eq!(percent(851, 149), Some(86));
        assert_eq!(percent(0, 0), None);
        assert!(used_percent(Path::new("/")).is_some_and(|it| it <= 100));
    }
}
