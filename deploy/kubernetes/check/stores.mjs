/** Our own policies for the stores: PostgreSQL, its roles, its backups and their restores, NATS. */
import { published } from './nats-users.mjs';
import { readTable } from './reach.mjs';

const ofKind = (objects, kind) => objects.filter((it) => it.kind === kind);
const named = (objects, kind, name) =>
  ofKind(objects, kind).find(({ metadata }) => metadata.name === name);
/** A ConfigMap's file, whatever hash its name ends with. */
const fileOf = (objects, name, file) =>
  ofKind(objects, 'ConfigMap').find(
    ({ metadata, data }) =>
      new RegExp(`^${name}-[a-z0-9]{10}$`).test(metadata.name) && data?.[file],
  )?.data[file];
const settingsOf = (objects) =>
  ofKind(objects, 'ConfigMap').find(({ metadata }) => /^settings-/.test(metadata.name))?.data ?? {};
/** The services with a database, in the order of the alphabet. */
const stores = () =>
  Object.entries(readTable())
    .filter(([, row]) => row.database)
    .sort(([one], [other]) => one.localeCompare(other));

/**
 * PostgreSQL waits for a standby where there is one, is backed up encrypted, and keeps databases
 * apart.
 */
const postgres = (objects) =>
  ofKind(objects, 'Cluster').flatMap(({ spec }) => {
    const { synchronous, pg_hba: rules = [] } = spec.postgresql;
    const isSafe =
      spec.instances === 1 ||
      (synchronous?.dataDurability === 'required' && synchronous.method === 'any');
    const production = settingsOf(objects).SUKOON_MODE === 'production';
    const stores = ofKind(objects, 'ObjectStore');
    const encrypted = stores.some(
      ({ spec: { configuration: it } }) => it.wal?.encryption && it.data?.encryption,
    );
    const backed =
      spec.plugins?.some(({ isWALArchiver }) => isWALArchiver) &&
      ofKind(objects, 'ScheduledBackup').length > 0;
    return [
      ...(isSafe ? [] : ['what PostgreSQL acknowledges may be on one server only']),
      ...(!production || (backed && encrypted) ? [] : ['PostgreSQL has no encrypted backup']),
      ...(rules.at(-1) === 'host all all all reject'
        ? []
        : ['a role reaches databases that are not its own']),
    ];
  });

/** Each service has a role that serves, one that migrates and owns, and one that reads; each reaches its own database. */
const roles = (objects) =>
  ofKind(objects, 'Cluster').flatMap(({ spec }) => {
    const services = stores().map(([service]) => service);
    const wanted = services.flatMap((it) => [it, `${it}_owner`, `${it}_reader`]).sort();
    const made = spec.managed?.roles ?? [];
    const names = made.map(({ name }) => name).sort();
    const mighty = made.filter(
      (it) => it.superuser || it.createdb || it.createrole || it.bypassrls,
    );
    const reads = (it) =>
      (it.inRoles ?? []).join() === (/_reader$/.test(it.name) ? 'pg_read_all_data' : '');
    const own = (it) => `hostssl ${it} ${it},${it}_owner,${it}_reader all scram-sha-256`;
    const allowed = [...services.map(own), 'host all all all reject'];
    const databases = ofKind(objects, 'Database');
    const owned = services.filter(
      (it) => !databases.some((one) => one.spec.name === it && one.spec.owner === `${it}_owner`),
    );
    return [
      ...(names.join() === wanted.join() ? [] : ['the roles are not those of the services']),
      ...mighty.map(({ name }) => `${name} may do more than its service needs`),
      ...made.filter((it) => !reads(it)).map(({ name }) => `${name} has the rights of other roles`),
      ...made.filter((it) => !it.passwordSecret).map(({ name }) => `${name} has no password`),
      ...((spec.postgresql.pg_hba ?? []).join() === allowed.join()
        ? []
        : ['pg_hba does not keep each role in its own database']),
      ...owned.map((it) => `the database ${it} does not belong to ${it}_owner`),
    ];
  });

/** Each user of NATS is a service, and may publish and hear what the table says; a connection shows a certificate. */
const broker = (objects) => {
  if (!named(objects, 'StatefulSet', 'nats')) return [];
  const text = fileOf(objects, 'nats', 'nats.conf') ?? '';
  const users = text.split(/\{ user: /).slice(1);
  const read = new Map(
    users.map((user) => {
      const [, name] = /^"([a-z]+)"/.exec(user) ?? [];
      const list = (key) =>
        [
          ...(new RegExp(`${key}: \\{ allow: \\[([^\\]]*)\\]`).exec(user)?.[1] ?? '').matchAll(
            /"([^"]+)"/g,
          ),
        ].map(([, subject]) => subject);
      return [name, { publish: list('publish'), subscribe: list('subscribe') }];
    }),
  );
  const wanted = stores();
  const faults = wanted.flatMap(([service, { sources }]) => {
    const has = read.get(service);
    const fits =
      has?.publish.join() === published(service, sources).join() &&
      has.subscribe.join() === `_INBOX_${service}.>`;
    return fits ? [] : [`${service} may do more or less in NATS than the table says`];
  });
  return [
    ...faults,
    ...(users.length === wanted.length ? [] : ['NATS has users that are no services']),
    ...(/\n {2}verify: true\n/.test(text) ? [] : ['NATS takes connections without a certificate']),
  ];
};

export const STORE_POLICIES = { broker, postgres, roles };
