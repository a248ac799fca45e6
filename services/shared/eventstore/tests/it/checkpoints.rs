//! Checkpoints: repeats, holes, failures that park an event, and what waits behind it.

use anyhow::Result;
use eventstore::checkpoint::{self, Delivery};
use eventstore::{AdvanceOutcome, Metadata, Recorded, Store, StoreError, feed};
use uuid::Uuid;

use crate::{append, database};

const WHO: (&str, &str) = ("test-on-booking", "booking");

async fn offer(store: &Store, event: &Recorded) -> Result<AdvanceOutcome, StoreError> {
    let event = event.clone();
    store
        .write(Metadata::default(), move |tx| {
            let event = event.clone();
            Box::pin(async move { checkpoint::advance(tx, WHO, &event, None).await })
        })
        .await
}

async fn three_events(store: &Store) -> Result<Vec<Recorded>> {
    append(store, "booking-1", "a").await?;
    append(store, "booking-1", "b").await?;
    append(store, "booking-2", "c").await?;
    feed::number(store.pool(), 10).await?;
    Ok(feed::read(store.pool(), 0, 10).await?)
}

#[tokio::test]
async fn repeats_and_holes_are_told_apart() -> Result<()> {
    let (_database, store) = database().await?;
    let events = three_events(&store).await?;
    assert_eq!(offer(&store, &events[1]).await?, AdvanceOutcome::Hole(0));
    assert_eq!(offer(&store, &events[0]).await?, AdvanceOutcome::Handled);
    assert_eq!(offer(&store, &events[0]).await?, AdvanceOutcome::Repeat);
    assert_eq!(offer(&store, &events[1]).await?, AdvanceOutcome::Handled);
    assert_eq!(checkpoint::position(&store, WHO.0, WHO.1).await?, 2);
    Ok(())
}

#[tokio::test]
async fn an_event_that_keeps_failing_is_parked_with_those_of_its_stream_behind_it() -> Result<()> {
    let (_database, store) = database().await?;
    let events = three_events(&store).await?;
    for _ in 1..checkpoint::FAILURES_MAX {
        assert!(!checkpoint::failed(&store, WHO, &events[0], "broken".into()).await?);
    }
    assert!(checkpoint::failed(&store, WHO, &events[0], "broken".into()).await?);
    assert_eq!(offer(&store, &events[1]).await?, AdvanceOutcome::Parked, "it may not overtake");
    assert_eq!(offer(&store, &events[2]).await?, AdvanceOutcome::Handled, "other streams go on");
    let parked = checkpoint::parked(&store, WHO.0, WHO.1).await?;
    assert_eq!(parked.iter().map(|p| p.event.position).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(parked[0].error, "broken");
    Ok(())
}

async fn offer_run(
    store: &Store,
    run: Vec<(Recorded, Option<Uuid>)>,
) -> Result<Option<usize>, StoreError> {
    store
        .write(Metadata::default(), move |tx| {
            let run = run.clone();
            Box::pin(async move {
                let run: Vec<Delivery<'_>> = run.iter().map(|(event, it)| (event, *it)).collect();
                checkpoint::advance_over(tx, WHO, &run).await
            })
        })
        .await
}

#[tokio::test]
async fn a_run_moves_the_checkpoint_once_when_nothing_is_particular() -> Result<()> {
    let (_database, store) = database().await?;
    let events = three_events(&store).await?;
    let plain = |range: std::ops::Range<usize>| {
        events[range].iter().map(|event| (event.clone(), None)).collect::<Vec<_>>()
    };
    let position = async || checkpoint::position(&store, WHO.0, WHO.1).await;
    assert_eq!(offer_run(&store, plain(1..3)).await?, None, "a hole before the first");
    let mut gap = plain(0..1);
    gap.extend(plain(2..3));
    assert_eq!(offer_run(&store, gap).await?, None, "a hole within");
    assert_eq!(position().await?, 0, "nothing was changed");
    assert_eq!(offer_run(&store, plain(0..2)).await?, Some(0));
    assert_eq!(offer_run(&store, plain(0..3)).await?, Some(2), "two were handled before");
    assert_eq!(position().await?, 3);
    assert_eq!(offer_run(&store, plain(0..3)).await?, Some(3), "nothing is new");
    let mut other = plain(2..3);
    other[0].0.event_id = eventstore::new_uuid();
    assert_eq!(offer_run(&store, other).await?, None, "another event at the same place");
    Ok(())
}

#[tokio::test]
async fn a_run_of_a_feed_that_was_rewound_or_behind_a_parked_event_is_taken_apart() -> Result<()> {
    let (_database, store) = database().await?;
    let events = three_events(&store).await?;
    let behind = |known: Uuid| {
        vec![(events[1].clone(), Some(known)), (events[2].clone(), Some(events[1].event_id))]
    };
    assert_eq!(offer(&store, &events[0]).await?, AdvanceOutcome::Handled);
    assert_eq!(offer_run(&store, behind(eventstore::new_uuid())).await?, None, "rewound");
    let mut broken = behind(events[0].event_id);
    broken[1].1 = Some(eventstore::new_uuid());
    assert_eq!(offer_run(&store, broken).await?, None, "rewound in the middle");
    for _ in 0..checkpoint::FAILURES_MAX {
        checkpoint::failed(&store, WHO, &events[1], "broken".into()).await?;
    }
    append(&store, "booking-1", "d").await?;
    feed::number(store.pool(), 10).await?;
    let rest = feed::read(store.pool(), 2, 10).await?;
    let rest: Vec<_> = rest.into_iter().map(|event| (event, None)).collect();
    assert_eq!(offer_run(&store, rest).await?, None, "one of them waits behind a parked one");
    assert_eq!(checkpoint::position(&store, WHO.0, WHO.1).await?, 2);
    Ok(())
}

/// However far a consumer has come, its marks are few, near ones near and far ones far apart.
#[tokio::test]
async fn marks_are_near_and_few() -> Result<()> {
    let (database, store) = database().await?;
    database
        .as_owner(
            "insert into checkpoints (consumer, source) values ('c', 's');
             do $$ begin
                 for n in 1..2500 loop
                     update checkpoints set position = n * 400, event_id = gen_random_uuid();
                 end loop;
             end $$",
        )
        .await?;
    let place = checkpoint::feed_position(&store, "c", "s").await?;
    assert_eq!(place.position, 1_000_000);
    let marks = checkpoint::marks(&store, ("c", "s"), place).await?;
    assert!((100..=115).contains(&marks.len()), "{}", marks.len());
    let near: Vec<i64> = marks.iter().take(99).map(|mark| mark.position).collect();
    assert!(near.windows(2).all(|pair| pair[0] - pair[1] <= 1_200), "{near:?}");
    let far = marks.iter().filter(|mark| mark.position < 900_000);
    let far: Vec<i64> = far.map(|mark| mark.position / 100_000).collect();
    assert_eq!(far, (0..9).rev().collect::<Vec<_>>(), "one for each hundred thousand");
    // Put back, it has none behind its place.
    let to = marks[3];
    checkpoint::rewind(&store, ("c", "s"), (place, to)).await?;
    let left = checkpoint::marks(&store, ("c", "s"), place).await?;
    assert_eq!(left.first(), Some(&to));
    Ok(())
}
