-- A question of one or two letters finds the beginnings of names, and two filters at once have an order
-- of their own.

create index reviews_by_name on reviews (lower(name collate "und-x-icu") text_pattern_ops)
    where deleted_at is null;
create index reviews_by_service_and_rating
    on reviews (service, rating, created_at desc, review_id desc)
    where deleted_at is null;
-- Uploads that no review took are counted before the next one is let in.
create index review_images_waiting on review_images (uploaded_at) where review_id is null;
