//! What an upgrade mended stays in the list after it.

use anyhow::{Context as _, Result, ensure};

use crate::kept::{self, Practice};

/// One state that the upgrade mended, and one that was right.
const MENDED: &str = "
    insert into payment_states_before (booking_id, payment_state, mended_to)
    values ('01934000-0000-7000-8000-000000000001', 'refunded', 'paid'),
           ('01934000-0000-7000-8000-000000000002', 'paid', 'paid');";

#[tokio::test(flavor = "multi_thread")]
async fn payment_states_that_were_mended_are_listed_after_the_upgrade() -> Result<()> {
    let folder = kept::all()?.pop().context("no practice")?;
    let practice = Practice::restore(&folder).await?;
    let listed = |mends: &[String]| mends.iter().filter(|it| it.contains("was mended")).count();
    ensure!(listed(&practice.check().await?.mends) == 0, "nothing is known of it before");
    practice.execute("booking", MENDED).await?;
    let report = practice.check().await?;
    let said = "the payment state of bkg_01934000000070008000000000000001 was refunded, and its \
                refunds said paid: it was mended";
    ensure!(listed(&report.mends) == 1, "{report}");
    ensure!(report.mends.iter().any(|it| it == said), "{report}");
    Ok(())
}
