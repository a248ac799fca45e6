//! What earlier releases have left behind is sound but for their own faults, with the provider's
//! book and without.

use anyhow::{Context as _, Result, ensure};

use crate::kept::{self, Practice};

#[tokio::test(flavor = "multi_thread")]
async fn every_kept_practice_is_sound() -> Result<()> {
    for folder in kept::all()? {
        let mut practice = Practice::restore(&folder).await.context(format!("{folder:?}"))?;
        let report = practice.check().await?;
        let beside = practice.unexplained(&report).await?;
        ensure!(beside.is_empty(), "{folder:?} by itself: {beside:#?}");
        ensure!(report.bookings >= 20 && report.events > 400, "hardly anything was read: {report}");
        ensure!(
            report.unjudged.iter().any(|it| it.contains("which was not asked")),
            "the provider's book is not named as unasked: {report}"
        );
        let report = practice.check_with_provider().await?;
        let beside = practice.unexplained(&report).await?;
        ensure!(beside.is_empty(), "{folder:?} with its provider: {beside:#?}");
        ensure!(
            !report.unjudged.iter().any(|it| it.contains("which was not asked")),
            "the provider was asked and is named as unasked: {report}"
        );
    }
    Ok(())
}
