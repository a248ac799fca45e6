//! Public reads: reviews page by page, and statistics that equal a recount.

use contract::reviews::v1::{ListReviewsRequest, ReviewFilter, SubmitReviewRequest};
use kernel::{CommandError, Id};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use reviews::domain::review::{Command, Moderator};
use reviews::read_model::query::{self, Filter};
use tonic::Code;

use crate::world::{World, assert_rejected, customer, review_request};

const ALL: ReviewFilter = ReviewFilter::Unspecified;
const DAY: i64 = 86_400;

fn moderator() -> Moderator {
    Moderator::Member(customer(900))
}

/// All reviews of a filter, read in pages of `size`.
async fn read_all(world: &World, filter: ReviewFilter, size: i32) -> Vec<String> {
    let (mut ids, mut token) = (Vec::new(), String::new());
    loop {
        let page = world.page(filter, size, &token).await;
        assert!(i32::try_from(page.reviews.len()).unwrap() <= size);
        ids.extend(page.reviews.into_iter().map(|review| review.review_id));
        token = page.next_page_token;
        if token.is_empty() {
            return ids;
        }
    }
}

async fn publish(world: &World, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(world.submit(review_request()).await.unwrap().review_id);
    }
    ids
}

#[tokio::test]
async fn pages_stay_right_while_reviews_are_added() {
    let world = World::new().await;
    let mut before = publish(&world, 7).await;
    before.reverse();
    let first = world.page(ALL, 3, "").await;
    publish(&world, 2).await;
    let second = world.page(ALL, 3, &first.next_page_token).await;
    publish(&world, 1).await;
    let third = world.page(ALL, 3, &second.next_page_token).await;
    let read: Vec<String> = [&first, &second, &third]
        .into_iter()
        .flat_map(|page| page.reviews.iter().map(|review| review.review_id.clone()))
        .collect();
    assert_eq!(read, before);
    assert_eq!((third.reviews.len(), third.next_page_token.as_str()), (1, ""));
    assert_eq!(read_all(&world, ALL, 1).await.len(), 10);
    assert_eq!(read_all(&world, ALL, 10).await.len(), 10);
}

#[tokio::test]
async fn reviews_of_the_same_moment_are_neither_lost_nor_repeated() {
    let world = World::new().await;
    publish(&world, 9).await;
    world.write_rows("update reviews set created_at = '2026-11-01'").await;
    let mut read = read_all(&world, ALL, 2).await;
    assert_eq!(read.len(), 9);
    read.dedup();
    assert_eq!(read.len(), 9);
}

#[tokio::test]
async fn a_page_has_twelve_reviews_and_never_more_than_fifty() {
    let world = World::new().await;
    publish(&world, 1).await;
    world
        .write_rows(
            "insert into reviews (review_id, name, email, service, rating, text, created_at)
             select gen_random_uuid(), 'N', 'n@m', 'Energy Healing', 5, 'T', clock_now()
             from generate_series(1, 60)",
        )
        .await;
    for (asked, given) in [(0, 12), (-1, 12), (1, 1), (50, 50), (1000, 50)] {
        assert_eq!(world.page(ALL, asked, "").await.reviews.len(), given, "{asked}");
    }
}

#[tokio::test]
async fn a_forged_page_token_or_one_of_another_list_is_refused() {
    let world = World::new().await;
    publish(&world, 2).await;
    let token = world.page(ALL, 1, "").await.next_page_token;
    let asked = |filter: ReviewFilter, page_token: String| ListReviewsRequest {
        filter: filter.into(),
        page_size: 1,
        page_token,
    };
    for wrong in [
        asked(ReviewFilter::Verified, token.clone()),
        asked(ALL, "2".to_owned()),
        asked(ALL, format!("{token}AAAA")),
    ] {
        let answer = world.public().list_reviews(wrong).await;
        assert_rejected(answer, Code::InvalidArgument, "INVALID_PAGE_TOKEN", "page_token");
    }
    assert_eq!(world.page(ALL, 1, &token).await.reviews.len(), 1);
}

#[tokio::test]
async fn verified_ones_and_those_of_the_last_thirty_days_can_be_listed_alone() {
    let world = World::new().await;
    let old = publish(&world, 2).await;
    world.session(customer(1)).await;
    let verified =
        world.submit_as(world.by(customer(1), review_request())).await.unwrap().review_id;
    assert_eq!(read_all(&world, ReviewFilter::Verified, 1).await, [verified]);
    assert_eq!(read_all(&world, ReviewFilter::Recent, 2).await.len(), 3);
    world.move_clock(30 * DAY + 60).await;
    assert_eq!(read_all(&world, ReviewFilter::Recent, 2).await, Vec::<String>::new());
    let new = publish(&world, 1).await;
    assert_eq!(read_all(&world, ReviewFilter::Recent, 2).await, new);
    assert_eq!(read_all(&world, ALL, 2).await.len(), old.len() + 2);
}

#[tokio::test]
async fn what_was_deleted_cannot_be_read_until_it_is_back() {
    let world = World::new().await;
    let ids = publish(&world, 2).await;
    let id = ids.first().unwrap();
    let delete = |at| Command::Delete { by: moderator(), at };
    assert_eq!(world.apply(id, delete).await.unwrap().len(), 1);
    assert_eq!(world.apply(id, delete).await.unwrap().len(), 0);
    assert_rejected(world.get(id).await, Code::NotFound, "REVIEW_NOT_FOUND", "");
    assert_eq!(read_all(&world, ALL, 5).await, ids[1..]);
    assert_eq!(world.statistics().await.count, 1);
    let restore = |at| Command::Restore { by: moderator(), at };
    world.apply(id, restore).await.unwrap();
    assert_eq!(world.get(id).await.unwrap().review_id, *id);
    assert_eq!(world.statistics().await.count, 2);
    world.apply(id, delete).await.unwrap();
    world.move_clock(16).await;
    let late = world.apply(id, restore).await.unwrap_err();
    assert!(matches!(late, CommandError::Rejected(reviews::error::Rejection::UndoTooLate)));
    for nothing in ["", "rvw_1", "rvw_00000000000040008000000000000001", "bkg_1"] {
        assert_rejected(world.get(nothing).await, Code::NotFound, "REVIEW_NOT_FOUND", "");
    }
}

#[tokio::test]
async fn a_repeated_submission_of_what_was_deleted_does_not_bring_it_back() {
    let world = World::new().await;
    let asked = review_request();
    let review = world.submit(asked.clone()).await.unwrap();
    let delete = |at| Command::Delete { by: moderator(), at };
    world.apply(&review.review_id, delete).await.unwrap();
    assert_rejected(world.submit(asked).await, Code::NotFound, "REVIEW_NOT_FOUND", "");
    assert_eq!(world.statistics().await.count, 0);
}

#[tokio::test]
async fn nothing_personal_is_left_of_a_review_a_month_after_its_deletion() {
    let world = World::new().await;
    let review = world.submit(review_request()).await.unwrap();
    let delete = |at| Command::Delete { by: Moderator::Passphrase, at };
    world.apply(&review.review_id, delete).await.unwrap();
    let erase = |at| Command::Erase { at };
    assert_eq!(world.apply(&review.review_id, erase).await.unwrap().len(), 0);
    world.move_clock(30 * DAY + 1).await;
    assert_eq!(world.apply(&review.review_id, erase).await.unwrap().len(), 1);
    let row: String = sqlx::query_scalar("select r::text from reviews r")
        .fetch_one(world.store.pool())
        .await
        .unwrap();
    assert!(!row.contains("Asha") && !row.contains('@') && !row.contains("lighter"), "{row}");
    let history = world.history(&review.review_id).await;
    assert_eq!(history, ["ReviewSubmitted", "ReviewDeleted", "ReviewErased"]);
}

#[tokio::test]
async fn the_figures_are_those_of_a_recount() {
    let world = World::new().await;
    let drawn = testkit::proof::drawn_seed();
    let mut generator = StdRng::seed_from_u64(drawn.unwrap_or(1));
    let mut ids = Vec::new();
    for number in 0..60_u32 {
        match generator.random_range(0..6_u32) {
            0 if !ids.is_empty() => {
                let id: &String = &ids[generator.random_range(0..ids.len())];
                let delete = |at| Command::Delete { by: moderator(), at };
                world.apply(id, delete).await.unwrap();
            }
            1 if !ids.is_empty() => {
                let id: &String = &ids[generator.random_range(0..ids.len())];
                let restore = |at| Command::Restore { by: moderator(), at };
                // On a busy machine the undo period may be over, which is fine here.
                drop(world.apply(id, restore).await);
            }
            2 if !ids.is_empty() => {
                let id: &String = &ids[generator.random_range(0..ids.len())];
                let booking_id = Id::from_uuid(eventstore::new_uuid());
                // A deleted review gets no badge.
                drop(world.apply(id, move |_now| Command::Verify { booking_id }).await);
            }
            _ => {
                let rating = i32::try_from(number % 5).unwrap() + 1;
                let asked = SubmitReviewRequest { rating, ..review_request() };
                ids.push(world.submit(asked).await.unwrap().review_id);
            }
        }
    }
    let recount: Vec<(i64, i64)> = sqlx::query_as(
        "select count(review_id), count(review_id) filter (where verified)
         from generate_series(1, 5) stars
         left join reviews on rating = stars and deleted_at is null
         group by stars order by stars",
    )
    .fetch_all(world.store.pool())
    .await
    .unwrap();
    let told = world.statistics().await;
    let counts: Vec<i64> = recount.iter().map(|(count, _)| *count).collect();
    assert_eq!(told.counts_by_rating, counts, "seed {drawn:?}");
    assert_eq!(told.count, counts.iter().sum::<i64>());
    let trusted: Vec<i64> = recount.iter().map(|(_, verified)| *verified).collect();
    assert_eq!(told.verified_counts_by_rating, trusted);
    assert_eq!(told.verified_count, recount.iter().map(|(_, verified)| verified).sum::<i64>());
}

/// Every list uses an index in its order, without sorting or scanning.
#[tokio::test]
async fn a_page_costs_what_it_shows() {
    let world = World::new().await;
    for sql in [
        "insert into review_images (image_id, name, width, height, review_id, uploaded_at)
         select gen_random_uuid(), md5(n::text), 1600, 900, gen_random_uuid(), clock_now()
         from generate_series(1, 20000) n",
        "insert into reviews (review_id, name, email, service, rating, text, image_id, verified,
                              created_at)
         select review_id, 'N', 'n@m', 'Energy Healing', 5, repeat('t', 300), image_id,
                random() < 0.1, clock_now() - make_interval(mins => (random() * 50000)::int)
         from review_images",
        "analyze reviews",
        "analyze review_images",
    ] {
        world.database.as_owner(sql).await.unwrap();
    }
    for (filter, index) in [
        (Filter::All, "reviews_newest "),
        (Filter::Verified, "reviews_newest_verified "),
        (Filter::Recent, "reviews_newest "),
    ] {
        let sql = format!("explain {} limit 13", query::list_statement(filter));
        let plan: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
            .bind(world.store.now().await.unwrap().plus_minutes(-20_000))
            .bind(uuid::Uuid::nil())
            .fetch_all(world.store.pool())
            .await
            .unwrap();
        let plan = plan.join("\n");
        let whole = plan.contains("Seq Scan on review");
        assert!(plan.contains(index) && !plan.contains("Sort") && !whole, "{plan}");
        assert!(plan.contains("review_images_pkey"), "{plan}");
    }
}
