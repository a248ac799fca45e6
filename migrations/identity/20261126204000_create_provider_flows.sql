-- What a client has asked of another provider, until the person comes back from there.
create table provider_flows (
    -- The state that the provider returns; random, because it is a secret.
    state_id uuid primary key,
    provider text not null,
    -- The nonce that the ID token must name.
    nonce text not null,
    code_verifier text not null,
    redirect_to text,
    flow_state_id uuid references flow_states on delete cascade,
    -- The account that gets the identity; null for a sign-in.
    link_user_id uuid references users on delete cascade,
    expires_at timestamptz not null
);
create index provider_flows_by_end on provider_flows (expires_at);
create index provider_flows_by_flow on provider_flows (flow_state_id);
create index provider_flows_by_user on provider_flows (link_user_id);
comment on table provider_flows is 'personal';
