/**
 * Our own policies for the practice as a whole: network, certificates, migrations, stores, alerts.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connections, oneSided, unguarded } from './policy-graph.mjs';
import { edges, ROOT, readTable } from './reach.mjs';
import { nameOf } from './schemas.mjs';
import { containersOf, podOf, servers } from './workloads.mjs';

const ofKind = (objects, kind) => objects.filter((it) => it.kind === kind);
const settingsOf = (objects) =>
  ofKind(objects, 'ConfigMap').find(({ metadata }) => /^settings-/.test(metadata.name))?.data ?? {};
/** The annotation that names a part's runbook. */
const RUNBOOK = 'sukoon.example/runbook';
const STORES = ['nats', 'postgres'];

/** The connections of the table's parts are those that the table allows, neither more nor fewer. */
const network = (objects) => {
  const table = readTable();
  const wanted = edges(table);
  const found = connections(objects);
  const hasPart = new Set(
    [...servers(objects), ...ofKind(objects, 'Cluster')].map(({ metadata }) => metadata.name),
  );
  const isOurs = (part) => part === 'gateway' || part in table || part.startsWith('migrate-');
  const isKnown = (part) => isOurs(part) || STORES.includes(part) || part === 'internet';
  const ends = (edge) => /^(.+) -> (.+):\d+$/.exec(edge).slice(1);
  // A store that is elsewhere has no pods here that a policy could let through.
  const missing = wanted.filter(
    (edge) => !found.has(edge) && (!STORES.includes(ends(edge)[1]) || hasPart.has(ends(edge)[1])),
  );
  const extra = [...found].filter((edge) => {
    const [from, to] = ends(edge);
    return isOurs(from) && isKnown(to) && !wanted.includes(edge);
  });
  return [
    ...missing.map((edge) => `the table allows ${edge}, the network policies do not`),
    ...extra.map((edge) => `the network policies allow ${edge}, the table does not`),
    ...oneSided(objects).map((edge) => `${edge} is allowed at one end only`),
  ];
};

/** Nothing is reachable, and nothing reaches out, unless a policy says so. */
const deny = (objects) => {
  const all = ofKind(objects, 'NetworkPolicy').some(
    ({ spec }) =>
      Object.keys(spec.podSelector).length === 0 &&
      spec.policyTypes.includes('Ingress') &&
      spec.policyTypes.includes('Egress') &&
      !spec.ingress?.length &&
      !spec.egress?.length,
  );
  const isPort = (it) => it.port === 53 && it.protocol === 'UDP';
  const names = ofKind(objects, 'NetworkPolicy').some(
    ({ spec }) =>
      Object.keys(spec.podSelector).length === 0 &&
      (spec.egress ?? []).some(({ to, ports }) => to?.length && ports?.some(isPort)),
  );
  return [
    ...(all ? [] : ['there is no policy that denies everything both ways']),
    ...(names ? [] : ['no part may ask for the address of a name']),
    ...unguarded(objects).map((part) => `${part} has no network policy of its own`),
  ];
};

/**
 * Each part has a certificate that names the host by which it is called, and is told where it lies.
 */
const tls = (objects) => {
  const certificates = ofKind(objects, 'Certificate');
  const missing = servers(objects).flatMap((it) => {
    const volume = podOf(it).spec.volumes?.find(({ name }) => name === 'tls');
    const component = podOf(it).metadata.labels['app.kubernetes.io/component'];
    if (!volume)
      return component === 'service' || component === 'store'
        ? [`${nameOf(it)}: it has no certificate`]
        : [];
    const own = certificates.find(({ spec }) => spec.secretName === volume.secret.secretName);
    const isNamed = own?.spec.dnsNames?.includes(it.metadata.name);
    return isNamed ? [] : [`${nameOf(it)}: no certificate names ${it.metadata.name}`];
  });
  // A call counts as the caller's that its certificate names, so none names two.
  const parts = new Set([...Object.keys(readTable()), 'gateway']);
  const several = certificates
    .filter(({ spec }) => (spec.dnsNames ?? []).filter((name) => parts.has(name)).length > 1)
    .map((it) => `${nameOf(it)}: it names more than one part`);
  const settings = settingsOf(objects);
  const inside = Object.entries(settings).filter(([name]) => /_URL$/.test(name));
  const isClear = ([, value]) =>
    value.startsWith('http://') && !/^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(value);
  const clear = settings.SUKOON_MODE === 'production' ? inside.filter(isClear) : [];
  const names = ['TLS_CA', 'TLS_CERTIFICATE', 'TLS_KEY'].filter((name) => !settings[name]);
  return [
    ...missing,
    ...several,
    ...clear.map(([name]) => `${name} leaves its pod in the clear`),
    ...names.map((name) => `${name} is not set`),
  ];
};

/**
 * Each database is migrated by a Job of the service's own image; what serves does not know the
 * owner.
 */
const migrations = (objects) => {
  const stores = Object.entries(readTable()).filter(([, row]) => row.database);
  const images = new Map(
    ofKind(objects, 'Deployment').map((it) => [it.metadata.name, containersOf(it)[0].image]),
  );
  const jobs = new Map(ofKind(objects, 'Job').map((it) => [it.metadata.name, it]));
  const faults = stores.flatMap(([service]) => {
    const job = jobs.get(`migrate-${service}`);
    if (!job) return [`${service} has no Job that migrates its database`];
    const [{ image, args }] = containersOf(job);
    const wave = Number(job.metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? 0);
    return [
      ...(image === images.get(service)
        ? []
        : [`migrate-${service} runs another image than ${service}`]),
      ...(args?.join() === 'migrate' ? [] : [`migrate-${service} does not run migrate`]),
      ...(wave < 0 ? [] : [`migrate-${service} does not come before the rollout`]),
    ];
  });
  const knows = (it) =>
    JSON.stringify(it.spec).includes('MIGRATION_DATABASE_URL') ||
    JSON.stringify(it.spec).includes('-owner"');
  const owners = ofKind(objects, 'Deployment').filter(knows);
  return [...faults, ...owners.map((it) => `${nameOf(it)}: it knows the owner of a database`)];
};

/** Services that take in events are rolled out before their source. */
const order = (objects) => {
  const wave = (name) => {
    const found = objects.find((it) => it.kind === 'Deployment' && it.metadata.name === name);
    return Number(found?.metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? 0);
  };
  const rows = Object.entries(readTable());
  return rows
    .filter(([name, { sources }]) => sources.includes('booking') && wave(name) >= wave('booking'))
    .map(([name]) => `${name} is not rolled out before booking, whose events it takes in`);
};

/** Whether a namespace that is not ours may ask NATS for its state. */
const tellsItsState = (objects) =>
  ofKind(objects, 'NetworkPolicy').some(
    ({ spec }) =>
      spec.podSelector.matchLabels?.['app.kubernetes.io/name'] === 'nats' &&
      (spec.ingress ?? []).some(
        ({ from, ports }) =>
          from?.some((peer) => peer.namespaceSelector) && ports?.some(({ port }) => port === 8222),
      ),
  );

/** The autoscaler asks for streams and consumers that exist, where NATS answers it. */
const lag = (objects) => {
  const table = readTable();
  const scaled = ofKind(objects, 'ScaledObject');
  if (scaled.length > 0 && !tellsItsState(objects)) return ['the autoscaler cannot ask NATS'];
  return scaled.flatMap((it) => {
    const triggers = it.spec.triggers.filter(({ type }) => type === 'nats-jetstream');
    const service = it.spec.scaleTargetRef.name;
    const sources = triggers.map(({ metadata }) => metadata.stream.toLowerCase()).sort();
    const named = triggers.every(
      ({ metadata: { stream, consumer, natsServerMonitoringEndpoint: at } }) =>
        consumer === `${service}-on-${stream.toLowerCase()}` &&
        at === `nats-pods.${it.metadata.namespace}.svc:8222`,
    );
    const fits = sources.join() === [...(table[service]?.sources ?? [])].sort().join();
    return fits && named ? [] : [`${nameOf(it)}: its triggers are not the consumers of ${service}`];
  });
};

/** Whether a link such as docs/RUNBOOKS.md#processgone leads to a section that is there. */
function isThere(link) {
  const [file, part] = link.split('#');
  if (!part || !existsSync(join(ROOT, file))) return false;
  return new RegExp(`^#+ ${part}\\s*$`, 'im').test(readFileSync(join(ROOT, file), 'utf8'));
}

/** Each alert that is deployed, and each part of the practice, has a runbook that is there. */
const runbooks = (objects) => {
  const ofAlerts = ofKind(objects, 'ConfigMap').flatMap(({ data = {} }) => {
    const rules = data['alerts.yml'] ?? data['restores.yml'] ?? '';
    const links = [...rules.matchAll(/runbook: (\S+)/g)].map(([, link]) => link);
    const missing = links.filter((link) => !isThere(link)).map((link) => `there is no ${link}`);
    const alerts = [...rules.matchAll(/- alert: /g)];
    return links.length === alerts.length ? missing : [...missing, 'an alert has no runbook'];
  });
  const isPart = (it) =>
    ['service', 'store'].includes(podOf(it).metadata.labels['app.kubernetes.io/component']);
  const ofParts = servers(objects)
    .filter((it) => isPart(it) && !isThere(it.metadata.annotations?.[RUNBOOK] ?? ''))
    .map((it) => `${nameOf(it)}: it names no runbook`);
  return [...ofAlerts, ...ofParts];
};

/** The API server refuses pods here that are not restricted. */
const namespace = (objects) => {
  const holds = ({ metadata }) =>
    metadata.labels?.['pod-security.kubernetes.io/enforce'] === 'restricted';
  const all = ofKind(objects, 'Namespace');
  return all.length === 1 && all.every(holds)
    ? []
    : ['the namespace does not enforce restricted pods'];
};

export const PRACTICE_POLICIES = {
  deny,
  lag,
  migrations,
  namespace,
  network,
  order,
  runbooks,
  tls,
};
