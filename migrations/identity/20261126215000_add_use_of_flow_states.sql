-- A code that was exchanged stays for an hour: one that comes twice ends the session that its first
-- use gave.
alter table flow_states
    add column used_at timestamptz,
    -- The session. It may have ended meanwhile, so it is no reference.
    add column session_id uuid;
