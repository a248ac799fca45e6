-- Cancelled bookings, customers' claims, and times that the practice has closed.

alter table bookings
    drop constraint bookings_state_check,
    add constraint bookings_state_check check (state in (
        'held', 'awaiting_payment', 'confirmed', 'meeting_scheduled', 'completed', 'expired',
        'released', 'cancelled', 'paid_unplaced')),
    -- The payment that belongs to the booking, once one was verified.
    add column payment_id text,
    -- Whether the customer has ever said that it is paid.
    add column claimed boolean not null default false,
    -- Whether it was confirmed on that word and no verified money has come since.
    add column confirmed_on_claim boolean not null default false;

update bookings set claimed = true where payment_state = 'claimed';
update bookings set payment_id = events.payload ->> 'paymentId'
from events
where events.event_type in ('booking.v1.BookingConfirmed', 'booking.v1.BookingUnplaced')
  and events.payload ->> 'bookingId' = 'bkg_' || replace(bookings.booking_id::text, '-', '');

-- A row belongs to a booking or to a block, and the same constraint keeps both apart.
alter table slot_reservations
    drop constraint slot_reservations_pkey,
    alter column booking_id drop not null,
    add column block_id uuid unique,
    add constraint slot_reservations_of_booking unique (booking_id, starts_at),
    add constraint slot_reservations_have_an_owner check (num_nonnulls(booking_id, block_id) = 1);
create index slot_reservations_by_start on slot_reservations (starts_at);
