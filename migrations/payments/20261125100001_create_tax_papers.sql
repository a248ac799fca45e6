-- Papers of tax beside the receipt, for a practice that is registered: invoice or bill of supply when
-- the session has taken place, refund voucher or credit note when money goes back. Rules 46 to 53 of
-- the CGST rules; services/payments/README.md says which is issued when.

-- What the payer wants to stand on the papers of a booking. It may change until the first invoice.
create table payers (
    booking_id uuid primary key references collections (booking_id),
    name text not null check (length(name) between 1 and 120),
    -- The payer's GSTIN, or empty.
    gstin text not null check (gstin = '' or length(gstin) = 15),
    address text not null check (length(address) between 1 and 300),
    -- The state of the address: the first two digits of its GSTINs.
    state_code text not null check (length(state_code) = 2)
);
comment on table payers is 'Personal data: name and address of those who asked for them on papers.';

-- A receipt states from now on which kind it is, and to whom. Only a receipt voucher is followed by
-- other papers, so what was issued before the setting was switched on stays as it is.
alter table receipts
    add column kind text not null default 'receipt' check (kind in ('receipt', 'receipt_voucher')),
    add column integrated_tax_minor bigint not null default 0 check (integrated_tax_minor >= 0),
    add column payer_name text not null default '',
    add column payer_gstin text not null default '',
    add column payer_address text not null default '',
    add column payer_state text not null default '',
    drop constraint receipts_check,
    add constraint receipts_amount_is_its_parts check (
        amount_minor
            = taxable_minor + central_tax_minor + state_tax_minor + integrated_tax_minor);

-- The last number of each series in each financial year; like receipt_counters.
create table tax_paper_counters (
    series text not null check (series in ('invoice', 'refund_voucher', 'credit_note')),
    financial_year int not null,
    last_number int not null check (last_number > 0),
    primary key (series, financial_year)
);
comment on table tax_paper_counters is 'The last number of each series in each year.';

create table tax_papers (
    paper_id uuid primary key,
    kind text not null
        check (kind in ('tax_invoice', 'bill_of_supply', 'refund_voucher', 'credit_note')),
    series text not null check (series in ('invoice', 'refund_voucher', 'credit_note')),
    financial_year int not null,
    number int not null check (number > 0),
    serial text not null unique check (length(serial) between 1 and 16),
    booking_id uuid not null references collections (booking_id),
    -- The payment of its receipt voucher.
    payment_id text not null,
    -- The refund that it is about; null for an invoice.
    refund_id uuid,
    -- The paper that it refers to: the receipt voucher, or of a credit note the invoice.
    refers_to_serial text not null,
    refers_to_issued_at timestamptz not null,
    amount_minor bigint not null check (amount_minor > 0),
    amount_currency text not null,
    tax_mode text not null check (tax_mode in ('none', 'gst')),
    gst_percent int not null check (gst_percent between 0 and 40),
    taxable_minor bigint not null check (taxable_minor >= 0),
    central_tax_minor bigint not null check (central_tax_minor >= 0),
    state_tax_minor bigint not null check (state_tax_minor >= 0),
    integrated_tax_minor bigint not null check (integrated_tax_minor >= 0),
    issued_by text not null,
    issuer_address text not null,
    gstin text not null,
    service_code text not null,
    payer_name text not null,
    payer_gstin text not null,
    payer_address text not null,
    payer_state text not null,
    issued_at timestamptz not null,
    unique (series, financial_year, number),
    unique (kind, refund_id),
    check ((kind in ('refund_voucher', 'credit_note')) = (refund_id is not null)),
    check (
        amount_minor
            = taxable_minor + central_tax_minor + state_tax_minor + integrated_tax_minor),
    check ((tax_mode = 'gst') = (gst_percent > 0))
);
create index tax_papers_by_booking on tax_papers (booking_id);
comment on table tax_papers is
    'Papers of tax as they were issued, for ever, as the law asks; personal data: the payer.';

create trigger tax_papers_are_immutable before update or delete on tax_papers
    for each row execute function refuse_receipt_change();
create trigger tax_papers_are_not_truncated before truncate on tax_papers
    for each statement execute function refuse_receipt_change();

create function refuse_tax_paper_gap() returns trigger language plpgsql as $$
begin
    if new.number > 1 and not exists (
        select from tax_papers
        where series = new.series and financial_year = new.financial_year
          and number = new.number - 1)
    then
        raise exception 'papers are numbered without gaps' using errcode = 'check_violation';
    end if;
    return new;
end $$;
create trigger tax_papers_have_no_gap before insert on tax_papers
    for each row execute function refuse_tax_paper_gap();
