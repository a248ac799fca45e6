-- All sessions have ended after a restore, and no mailed code of before it works.
delete from sessions;
delete from codes;
delete from flow_states;
delete from provider_flows;
delete from challenges;
