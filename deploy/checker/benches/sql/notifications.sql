-- The mails about the bookings of `booking.sql`: two were sent, the others came too late.
insert into mails (mail_id, kind, subject, booking_id, state, attempts, due_at, link_told, last_error,
                   message_id, queued_at, first_tried_at, sent_at)
select (b.prefix || '-0006-7000-8000-00000000000' || m.number)::uuid, m.kind, case m.kind
           when 'receipt' then 'rct_' || b.prefix || '000370008000000000000001'
           else 'bkg_' || b.hex end,
       b.id, case when m.number < 3 then 'sent' else 'dropped' end, m.number % 3, m.at, true,
       case when m.number > 2 then 'too_late' end, case when m.number < 3 then b.hex end, m.at, m.at,
       case when m.number < 3 then m.at end
from made b cross join lateral (
    values
    (1, 'booking_confirmed', b.starts_at - interval '47 hours'),
    (2, 'practice_notice', b.starts_at - interval '47 hours'),
    (3, 'reminder', b.starts_at - interval '24 hours'),
    (4, 'follow_up', b.starts_at + interval '2 hours'),
    (5, 'receipt', b.starts_at - interval '47 hours')
) as m (number, kind, at)
where m.kind <> 'receipt' or b.price > 0;

insert into events (event_id, stream_id, version, event_type, payload, metadata, recorded_at)
select (b.prefix || '-0007-7000-8000-00000000000' || m.number)::uuid,
       'mail-' || b.prefix || '-0006-7000-8000-00000000000' || m.number, 1,
       'notifications.v1.MailSent', jsonb_build_object('bookingId', 'bkg_' || b.hex, 'kind', m.kind,
           'mailId', 'mal_' || b.prefix || '00067000800000000000000' || m.number),
       '{"actor": "notifications"}', b.starts_at - interval '47 hours'
from made b cross join (values
    (1, 'MAIL_KIND_BOOKING_CONFIRMED'), (2, 'MAIL_KIND_PRACTICE_NOTICE')
) as m (number, kind);
