-- Receipts for the money of placed bookings. A receipt is kept as it was issued: what the practice's
-- settings say later changes none.

-- The last number of each financial year, by the year of its April. A number is taken by the
-- transaction that writes its receipt, which locks the row; so one that comes to nothing leaves no gap.
create table receipt_counters (
    financial_year int primary key,
    last_number int not null check (last_number > 0)
);
comment on table receipt_counters is 'The last number of each year''s receipts.';

create table receipts (
    receipt_id uuid primary key,
    financial_year int not null,
    number int not null check (number > 0),
    serial text not null unique check (length(serial) between 1 and 16),
    booking_id uuid not null references collections (booking_id),
    -- The provider's payment; there is one receipt for each.
    payment_id text not null unique,
    amount_minor bigint not null check (amount_minor > 0),
    amount_currency text not null,
    tax_mode text not null check (tax_mode in ('none', 'gst')),
    -- 0 without tax.
    gst_percent int not null check (gst_percent between 0 and 40),
    taxable_minor bigint not null check (taxable_minor >= 0),
    central_tax_minor bigint not null check (central_tax_minor >= 0),
    state_tax_minor bigint not null check (state_tax_minor >= 0),
    issued_by text not null,
    issuer_address text not null,
    gstin text not null,
    service_code text not null,
    issued_at timestamptz not null,
    unique (financial_year, number),
    check (amount_minor = taxable_minor + central_tax_minor + state_tax_minor),
    check ((tax_mode = 'gst') = (gst_percent > 0))
);
create index receipts_by_booking on receipts (booking_id);
comment on table receipts is
    'Receipts as they were issued, for ever. Ids, amounts and the issuer''s own data only.';

create function refuse_receipt_change() returns trigger language plpgsql as $$
begin
    raise exception 'receipts are immutable' using errcode = 'restrict_violation';
end $$;
create trigger receipts_are_immutable before update or delete on receipts
    for each row execute function refuse_receipt_change();
create trigger receipts_are_not_truncated before truncate on receipts
    for each statement execute function refuse_receipt_change();

-- Behind the counter, so that no program can leave a gap: a number needs the one before it.
create function refuse_receipt_gap() returns trigger language plpgsql as $$
begin
    if new.number > 1 and not exists (
        select from receipts
        where financial_year = new.financial_year and number = new.number - 1)
    then
        raise exception 'receipts are numbered without gaps' using errcode = 'check_violation';
    end if;
    return new;
end $$;
create trigger receipts_have_no_gap before insert on receipts
    for each row execute function refuse_receipt_gap();
