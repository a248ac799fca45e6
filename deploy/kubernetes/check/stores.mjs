/** Our own policies for the stores: PostgreSQL, its roles, its backups and their restores, NATS. */
import { readFileSync } from 'node:fs';
import { published } from './nats-users.mjs';
import { readTable } from './reach.mjs';
import { parse } from './render.mjs';
import { nameOf } from './schemas.mjs';
import { containersOf, podOf } from './workloads.mjs';

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

/** What keeps personal data out of PostgreSQL's log, the same in every home: name and value. */
const QUIET = readFileSync(new URL('../../postgres/log.conf', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line && !line.startsWith('#'))
  .map((line) => line.split(' = '));

/** PostgreSQL's log has neither values of statements nor of refused rows. */
const databaseLog = (objects) =>
  ofKind(objects, 'Cluster').flatMap(({ spec }) =>
    QUIET.filter(([name, value]) => spec.postgresql.parameters?.[name] !== value).map(
      ([name, value]) => `PostgreSQL's log may have personal data: ${name} is not ${value}`,
    ),
  );

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

/**
 * Each service has a role that serves, one that migrates and owns, and one that reads; each reaches
 * its own database.
 */
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

/** Whether streams are on a quorum of NATS' servers, and on no more servers than there are. */
const isOnServers = (replicas, servers) =>
  replicas <= servers && (servers === 1 || replicas === 3 || replicas === 5);

/**
 * Each user of NATS is a service, and may publish and hear what the table says; a connection shows
 * a certificate; a server that is lost takes no stream along where there are others.
 */
const broker = (objects) => {
  const servers = named(objects, 'StatefulSet', 'nats')?.spec.replicas;
  if (!servers) return [];
  // The services' own default is one.
  const replicas = Number(settingsOf(objects).NATS_STREAM_REPLICAS ?? 1);
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
    ...(isOnServers(replicas, servers)
      ? []
      : [`each stream is to be on ${replicas} of ${servers} servers of NATS`]),
    ...(/\n {2}verify: true\n/.test(text) ? [] : ['NATS takes connections without a certificate']),
  ];
};

/** What may be asked of the API server, as `group/resource verb name`; without a name for all. */
const grants = ({ rules }) =>
  rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [''] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) => resourceNames.map((it) => `${group}/${resource} ${verb} ${it}`)),
      ),
    ),
  );

/** A backup counts once it was restored: each week, by a drill that can harm nothing. */
const restores = (objects) => {
  const clusters = ofKind(objects, 'Cluster').filter(({ spec }) => spec.instances > 1);
  if (settingsOf(objects).SUKOON_MODE !== 'production' || clusters.length === 0) return [];
  const drill = named(objects, 'CronJob', 'restore-drill');
  const check = named(objects, 'CronJob', 'restore-check');
  if (!drill || !check) return ['no backup is ever restored'];
  const [scratch] = parse(fileOf(objects, 'restore-drill-script', 'cluster.yaml') ?? '');
  const source = scratch?.spec.externalClusters?.[0];
  const store = clusters[0].spec.plugins?.find(({ isWALArchiver }) => isWALArchiver);
  // A cluster that was itself restored archives under another name than its own.
  const archive = store?.parameters?.serverName ?? clusters[0].metadata.name;
  const isOfBackups =
    scratch?.spec.bootstrap?.recovery?.source === source?.name &&
    source?.plugin?.parameters?.serverName === archive &&
    source.plugin.parameters.barmanObjectName === store?.parameters?.barmanObjectName;
  const isWeekly = /^\d+ \d+ \* \* [0-6]$/.test(drill.spec.schedule) && !drill.spec.suspend;
  const role = named(objects, 'Role', 'restore-drill');
  const changes = role ? grants(role).filter((it) => !/ (get|list|watch|create) /.test(it)) : [];
  const harms = changes.filter((it) => !/ restore-(drill|check)$/.test(it));
  const secret = role ? grants(role).filter((it) => /(secrets|exec|\*)/.test(it)) : [];
  const others = ofKind(objects, 'ClusterRoleBinding').map(
    (it) => `${nameOf(it)}: rights everywhere`,
  );
  const owners = JSON.stringify(podOf(check).spec).includes('MIGRATION');
  const program = containersOf(check)[0].command?.join();
  return [
    ...(isWeekly ? [] : ['the drill does not run each week']),
    ...(isOfBackups ? [] : ['the drill does not restore what is backed up']),
    ...(scratch?.spec.plugins ? ['the scratch cluster writes into the bucket of the backups'] : []),
    ...(program === '/usr/lib/sukoon/checker' && !owners ? [] : ['the checker does not only read']),
    ...harms.map((it) => `the drill may ${it}`),
    ...secret.map((it) => `the drill may ${it}`),
    ...others,
  ];
};

export const STORE_POLICIES = { broker, databaseLog, postgres, restores, roles };
