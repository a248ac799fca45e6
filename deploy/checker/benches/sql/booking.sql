-- So many bookings as @COUNT@ says, of forty practitioners with ten sessions a day and a tenth as many
-- clients, all of them over. Each tenth was paid, the others were free. Ids follow from the number.
insert into bookings (booking_id, customer_id, service_id, service_title, price_minor, price_currency,
                      practitioner_id, mode, state, payment_state, mail_state, requested_at, version,
                      payment_id)
select b.id, b.customer, 'energy-healing', 'Energy Healing', b.price, 'INR', b.practitioner,
       'in_person', 'completed', case when b.price > 0 then 'paid' else 'pending' end, 'sent',
       b.starts_at - interval '2 days', 3, case when b.price > 0 then 'pay_' || b.hex end
from made b;

insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at, live)
select b.id, b.practitioner, b.starts_at, b.starts_at + interval '45 minutes', true from made b;

insert into events (event_id, stream_id, version, event_type, payload, metadata, recorded_at)
select (b.prefix || '-0001-7000-8000-00000000000' || e.number)::uuid, e.stream, e.version, e.type,
       e.payload, '{"actor": "booking"}', e.at
from made b cross join lateral (
    values
    (1, 'booking-' || b.id, 1, 'booking.v1.BookingRequested', jsonb_build_object(
        'bookingId', 'bkg_' || b.hex, 'customerId', 'usr_' || replace(b.customer::text, '-', ''),
        'serviceId', 'energy-healing', 'serviceTitle', 'Energy Healing',
        'price', jsonb_build_object('minorUnits', b.price::text, 'currencyCode', 'INR'),
        'sessions', jsonb_build_array(jsonb_build_object('startsAt', b.starts, 'endsAt', b.ends)),
        'practitionerId', b.practitioner, 'mode', 'SESSION_MODE_IN_PERSON', 'heldUntilAt', b.held),
     b.starts_at - interval '48 hours'),
    (2, b.day, 1 + 2 * b.place, 'booking.v1.SlotHeld', jsonb_build_object(
        'bookingId', 'bkg_' || b.hex, 'startsAt', b.starts, 'endsAt', b.ends, 'heldUntilAt', b.held),
     b.starts_at - interval '48 hours'),
    (3, 'booking-' || b.id, 2, 'booking.v1.BookingConfirmed', case when b.price > 0
        then jsonb_build_object('bookingId', 'bkg_' || b.hex, 'paymentId', 'pay_' || b.hex)
        else jsonb_build_object('bookingId', 'bkg_' || b.hex, 'free', true) end,
     b.starts_at - interval '47 hours 50 minutes'),
    (4, b.day, 2 + 2 * b.place, 'booking.v1.SlotBooked', jsonb_build_object(
        'bookingId', 'bkg_' || b.hex, 'startsAt', b.starts, 'endsAt', b.ends),
     b.starts_at - interval '47 hours 50 minutes'),
    (5, 'booking-' || b.id, 3, 'booking.v1.BookingCompleted',
     jsonb_build_object('bookingId', 'bkg_' || b.hex), b.starts_at + interval '1 hour')
) as e (number, stream, version, type, payload, at);
