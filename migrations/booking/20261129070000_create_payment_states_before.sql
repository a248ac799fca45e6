-- The payment states of before refunds were added up, so that what that mended can be listed afterwards too.
create table payment_states_before (
    booking_id uuid primary key,
    payment_state text not null,
    -- When it was noted: what happened later mends nothing.
    noted_at timestamptz not null default clock_now(),
    -- The state that follows from what had happened until then; null where nothing has been read again.
    mended_to text
);
comment on table payment_states_before is 'Payment states of before an upgrade. Ids only, no personal data.';

insert into payment_states_before (booking_id, payment_state)
select booking_id, payment_state from bookings
where payment_state in ('paid', 'refunding', 'refunded');
