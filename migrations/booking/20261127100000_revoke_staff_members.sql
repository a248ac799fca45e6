-- The service adds members and changes their roles, and takes none away: one who has left stays, so
-- that the audit log can be read. Called with the service's role at every migration, after the rights
-- that it has on all tables were granted.
create function revoke_from_service(service name) returns void language plpgsql as $$
begin
    execute format('revoke update, delete, truncate on staff_members from %I', service);
    execute format('grant update (role, active, since_at, practitioner_id, second_factor_by)
                    on staff_members to %I', service);
end $$;
revoke execute on function revoke_from_service from public;
