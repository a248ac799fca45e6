-- The refunds of each booking, as payments told them: a booking's payment state follows their sum.
create table booking_refunds (
    refund_id text primary key,
    booking_id uuid not null,
    -- What it is of and how much; null until its request is known, because an event may be late.
    payment_id text,
    minor bigint,
    cause text not null default '',
    -- The refund in whose place it was asked for.
    renews_refund_id text,
    requested_at timestamptz,
    processed boolean not null default false,
    failed_at timestamptz,
    -- Why it failed, in payments' word.
    reason text not null default '',
    -- It is not asked for again by itself.
    is_final boolean not null default false,
    -- How much of it the payer's bank gave by a dispute; null where an old event does not say.
    bank_minor bigint
);
create index booking_refunds_by_booking on booking_refunds (booking_id);
create index booking_refunds_by_renewed on booking_refunds (renews_refund_id);
comment on table booking_refunds is 'Refunds of bookings. Ids only, no personal data.';

alter table bookings
    -- What a cancellation promised to give back; null unless it is cancelled.
    add column promised_minor bigint,
    -- What the client is owed because a refund failed for good.
    add column owed_minor bigint not null default 0,
    -- What the payer's bank gave by a dispute.
    add column bank_minor bigint not null default 0,
    -- What went back, or is on its way, for another reason than a cancellation.
    add column otherwise_minor bigint not null default 0;
update bookings
set promised_minor = coalesce((events.payload -> 'refund' ->> 'minorUnits')::bigint, 0)
from events
where events.event_type = 'booking.v1.BookingCancelled'
  and events.payload ->> 'bookingId' = 'bkg_' || replace(bookings.booking_id::text, '-', '');

-- Everything that payments ever told is taken in once more, so that the refunds of before are added
-- up as well and a state that followed one of them alone is mended.
insert into consumer_releases (consumer, source, release, again_from)
values ('booking-on-payments', 'payments', 1, 0);
