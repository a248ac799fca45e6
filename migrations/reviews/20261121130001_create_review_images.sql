-- Pictures that were uploaded. The row is there before the objects are, so nothing lies in the
-- store of which nobody knows.
create table review_images (
    image_id uuid primary key,
    -- What its objects are called: 16 random bytes.
    name text not null unique check (name ~ '^[0-9a-f]{32}$'),
    -- Of the large one, in pixels.
    width int not null check (width between 1 and 1600),
    height int not null check (height between 1 and 1600),
    -- The review that took it; null while none has.
    review_id uuid unique,
    uploaded_at timestamptz not null,
    -- When it was given up, because no review took it in time; its objects go next.
    dropped_at timestamptz,
    check (review_id is null or dropped_at is null)
);
comment on table review_images is 'personal';
