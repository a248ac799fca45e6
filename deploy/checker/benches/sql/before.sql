-- The numbers of the bookings and what follows from them, for each service's statements.
set session_replication_role = replica;
set timezone = 'UTC';
create temporary table made as
select n, prefix, (prefix || '-0000-7000-8000-000000000001')::uuid as id,
       prefix || '000070008000000000000001' as hex,
       (lpad(to_hex(n % (@COUNT@ / 10)), 8, '0') || '-0000-7000-8000-0000000000c1')::uuid as customer,
       practitioner, place, starts_at,
       'day-' || practitioner || '-' || to_char(starts_at, 'YYYY-MM-DD') as day,
       to_char(starts_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as starts,
       to_char(starts_at + interval '45 minutes', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as ends,
       to_char(starts_at - interval '47 hours 45 minutes', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as held,
       case when n % 10 = 0 then 50000 else 0 end as price, 1 + n / 10 as receipt
from generate_series(0, @COUNT@ - 1) n
cross join lateral (
    select lpad(to_hex(n + 1), 8, '0') as prefix, 'p' || n % 40 as practitioner, n / 40 % 10 as place,
           timestamptz '2019-01-01 06:00Z' + make_interval(days => n / 400, hours => n / 40 % 10)
               as starts_at
) as times;
