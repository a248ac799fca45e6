-- What staff looks for: words anywhere in name, address or text, and the panel's filters, each in the
-- order in which its pages are read.

create extension if not exists pg_trgm;

-- The collation folds the case of every alphabet, whatever the cluster was made with.
create index reviews_by_words on reviews using gin (
    lower((name || ' ' || email || ' ' || text) collate "und-x-icu") gin_trgm_ops)
    where deleted_at is null;
create index reviews_by_service on reviews (service, created_at desc, review_id desc)
    where deleted_at is null;
create index reviews_by_rating on reviews (rating, created_at desc, review_id desc)
    where deleted_at is null;
create index reviews_with_image on reviews (created_at desc, review_id desc)
    where deleted_at is null and image_id is not null;
