-- Payment links: pages of the provider on which a booking is paid in place of the checkout.

create table payment_links (
    -- The provider's reference.
    link_id uuid primary key,
    booking_id uuid not null references collections (booking_id),
    provider text not null default 'razorpay',
    -- The provider's id and the address of its page, once the creation was answered.
    provider_link_id text unique,
    url text,
    -- As the provider reported it, joined; absent if the provider has none of this reference.
    status text not null check (status in (
        'created', 'partially_paid', 'paid', 'cancelled', 'expired', 'absent')),
    -- Why it is not handed out any more.
    withdrawn text check (withdrawn in ('checkout', 'paid', 'ended', 'expired')),
    withdrawn_at timestamptz,
    expires_at timestamptz not null,
    opened_at timestamptz not null,
    check ((provider_link_id is null) = (url is null)),
    check ((withdrawn is null) = (withdrawn_at is null))
);
create index payment_links_by_booking on payment_links (booking_id);
-- Links that are to be cancelled.
create index payment_links_to_cancel on payment_links (withdrawn_at)
    where withdrawn_at is not null and status in ('created', 'partially_paid');
comment on table payment_links is 'Pages on which bookings are paid. Ids and addresses only.';

-- The orders that the provider creates beneath a link when its page is opened.
create table payment_link_orders (
    order_id text primary key,
    link_id uuid not null references payment_links (link_id),
    booking_id uuid not null
);
create index payment_link_orders_by_link on payment_link_orders (link_id);

-- The link that was opened last, and whose turn it is to create one, as with the order.
alter table collections add column link_id uuid;
alter table collections add column linking_until_at timestamptz not null default '-infinity';
alter table collections add column linking_turns int not null default 0;
