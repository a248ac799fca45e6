-- The money of the bookings of `booking.sql` that were paid: captured, earned and receipted.
create temporary table paid as select * from made where price > 0;

insert into collections (booking_id, collection_id, customer_id, amount_minor, amount_currency,
                         order_id, ordered_at, state, verified_payment_id, opened_at)
select b.id, (b.prefix || '-0002-7000-8000-000000000001')::uuid, b.customer, b.price, 'INR',
       'order_' || b.hex, b.starts_at - interval '48 hours', 'paid', 'pay_' || b.hex,
       b.starts_at - interval '48 hours'
from paid b;

insert into payments (payment_id, booking_id, status, amount_minor, amount_currency, counted, seen_at)
select 'pay_' || b.hex, b.id, 'captured', b.price, 'INR', 'verified',
       b.starts_at - interval '47 hours 55 minutes'
from paid b;

insert into receipts (receipt_id, financial_year, number, serial, booking_id, payment_id, amount_minor,
                      amount_currency, tax_mode, gst_percent, taxable_minor, central_tax_minor,
                      state_tax_minor, issued_by, issuer_address, gstin, service_code, issued_at)
select (b.prefix || '-0003-7000-8000-000000000001')::uuid, 2020, b.receipt, 'M/' || b.receipt, b.id,
       'pay_' || b.hex, b.price, 'INR', 'none', 0, b.price, 0, 0, 'Sukoon', 'Bhopal', '', '',
       b.starts_at - interval '47 hours 45 minutes'
from paid b;

insert into ledger_entries (entry_id, cause, kind, booking_id, payment_id, lines, recorded_at)
select (b.prefix || '-0004-7000-8000-00000000000' || e.number)::uuid, e.kind || ' pay_' || b.hex,
       e.kind, b.id, 'pay_' || b.hex, 2, b.starts_at + e.after
from paid b cross join (values
    (1, 'captured', interval '-47 hours'), (2, 'earned', interval '1 hour')
) as e (number, kind, after);

insert into ledger_lines (entry_id, line, account, amount_minor, amount_currency)
select (b.prefix || '-0004-7000-8000-00000000000' || e.number)::uuid, e.line, e.account,
       e.sign * b.price, 'INR'
from paid b cross join (values
    (1, 1, 'provider_clearing', 1), (1, 2, 'customer_advance', -1),
    (2, 1, 'customer_advance', 1), (2, 2, 'revenue', -1)
) as e (number, line, account, sign);

insert into events (event_id, stream_id, version, event_type, payload, metadata, recorded_at)
select (b.prefix || '-0005-7000-8000-00000000000' || e.number)::uuid, e.stream, e.version,
       'payments.v1.' || e.type, e.payload || jsonb_build_object('bookingId', 'bkg_' || b.hex),
       '{"actor": "payments"}', b.starts_at + e.after
from paid b cross join lateral (
    select jsonb_build_object('minorUnits', b.price::text, 'currencyCode', 'INR') as amount,
           'pay_' || b.hex as payment, 'collection-' || b.id as collection
) as m cross join lateral (
    values
    (1, m.collection, 1, 'CollectionOpened', jsonb_build_object('amount', m.amount,
        'customerId', 'usr_' || replace(b.customer::text, '-', ''),
        'collectionId', 'col_' || b.prefix || '000270008000000000000001'), interval '-48 hours'),
    (2, m.collection, 2, 'OrderCreated', jsonb_build_object('orderId', 'order_' || b.hex),
     interval '-48 hours'),
    (3, m.collection, 3, 'PaymentObserved', jsonb_build_object('amount', m.amount, 'source', 'webhook',
        'status', 'captured', 'orderId', 'order_' || b.hex, 'paymentId', m.payment),
     interval '-47 hours -55 minutes'),
    (4, m.collection, 4, 'PaymentVerified',
     jsonb_build_object('amount', m.amount, 'paymentId', m.payment), interval '-47 hours -55 minutes'),
    (5, 'receipt-' || b.prefix || '-0003-7000-8000-000000000001', 1, 'ReceiptIssued',
     jsonb_build_object('amount', m.amount, 'serial', 'M/' || b.receipt, 'paymentId', m.payment,
        'receiptId', 'rct_' || b.prefix || '000370008000000000000001'),
     interval '-47 hours -45 minutes'),
    (6, m.collection, 5, 'PaymentEarned',
     jsonb_build_object('amount', m.amount, 'paymentId', m.payment), interval '1 hour')
) as e (number, stream, version, type, payload, after);
