-- What the widget on other sites is told of the bookings that began in it.
create table widget_reports (
    -- 128 random bits that the widget made; its knowledge is what lets a caller read the state.
    report_id uuid primary key,
    booking_id uuid not null,
    -- The account that may say that it is about another booking.
    customer_id uuid not null,
    -- From then on it is as if there were no such report, and the row is deleted soon.
    ends_at timestamptz not null
);
create index widget_reports_by_customer on widget_reports (customer_id, ends_at);
create index widget_reports_by_end on widget_reports (ends_at);
comment on table widget_reports is
    'Which booking a widget asks about, for two hours. Ids only, no personal data.';
