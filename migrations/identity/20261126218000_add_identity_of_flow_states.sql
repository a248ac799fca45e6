-- An identity that a signed-in person adds belongs to the browser that asked for it: it waits here,
-- between the person's return from the provider and the exchange of the code.
alter table flow_states
    -- What the provider says of the person; removed by the exchange.
    add column linked_identity jsonb;
