-- Who may do what for the practice. Customers have no row here.
create table staff_members (
    user_id uuid primary key,
    role text not null check (role in ('owner', 'admin', 'practitioner', 'front_desk')),
    -- A member who has left stays, so that the audit log can be read.
    active boolean not null default true,
    since_at timestamptz not null default clock_now()
);
comment on table staff_members is 'Roles by account. Ids only, no personal data.';
