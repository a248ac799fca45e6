/** Our own policies for what runs: each takes all objects and gives what breaks it. */
import { nameOf } from './schemas.mjs';

const ofKind = (objects, ...kinds) => objects.filter(({ kind }) => kinds.includes(kind));
export const servers = (objects) => ofKind(objects, 'Deployment', 'StatefulSet');
export const workloads = (objects) =>
  ofKind(objects, 'Deployment', 'StatefulSet', 'Job', 'CronJob');
export const podOf = ({ kind, spec }) =>
  kind === 'CronJob' ? spec.jobTemplate.spec.template : spec.template;
export const containersOf = (workload) => {
  const { containers, initContainers = [] } = podOf(workload).spec;
  return [...containers, ...initContainers];
};
const mainOf = (workload) => podOf(workload).spec.containers[0];

/** One complaint for each of these that does not hold. */
const each = (list, holds, what) =>
  list.filter((it) => !holds(it)).map((it) => `${nameOf(it)}: ${what}`);
const eachContainer = (objects, holds, what) =>
  each(workloads(objects), (it) => containersOf(it).every((one) => holds(one, it)), what);
const matches = (selector, labels) =>
  Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => labels?.[key] === value);
const labelsOf = (workload) => podOf(workload).metadata.labels;

const MEBIBYTES = { Mi: 1, Gi: 1024 };
const mebibytes = (text) => {
  const [, number, unit] = /^(\d+)(Mi|Gi)$/.exec(text ?? '') ?? [];
  return Number(number) * MEBIBYTES[unit];
};

const probes = (objects) => {
  const names = ['startupProbe', 'livenessProbe', 'readinessProbe'];
  const has = (it) => names.every((name) => mainOf(it)[name]);
  const differs = (it) =>
    mainOf(it).ports.every(({ containerPort }) => containerPort !== 9100) ||
    mainOf(it).livenessProbe?.httpGet?.path !== mainOf(it).readinessProbe?.httpGet?.path;
  return [
    ...each(servers(objects), has, 'it needs a startup, a liveness and a readiness probe'),
    ...each(
      servers(objects),
      differs,
      'liveness asks what readiness asks: a database would restart it',
    ),
  ];
};

const drain = (objects) => {
  const holds = (it) => {
    const { preStop } = mainOf(it).lifecycle ?? {};
    const grace = podOf(it).spec.terminationGracePeriodSeconds ?? 0;
    // The pause, the five seconds in which requests end, and some more for the last spans.
    return preStop?.exec
      ? grace > 35
      : preStop?.sleep?.seconds >= 5 && grace > preStop.sleep.seconds + 5;
  };
  return each(
    servers(objects),
    holds,
    'it needs a preStop and a longer terminationGracePeriodSeconds',
  );
};

const disruption = (objects) => {
  const budgets = ofKind(objects, 'PodDisruptionBudget');
  const holds = (it) =>
    budgets.some(({ spec }) => spec.maxUnavailable === 1 && matches(spec.selector, labelsOf(it)));
  return each(servers(objects), holds, 'it needs a PodDisruptionBudget with maxUnavailable: 1');
};

const spread = (objects) => {
  const holds = (it) => {
    const rules = podOf(it).spec.topologySpreadConstraints ?? [];
    const own = (key) =>
      rules.find((rule) => rule.topologyKey === key && matches(rule.labelSelector, labelsOf(it)));
    const zone = own('topology.kubernetes.io/zone');
    return (
      zone?.whenUnsatisfiable === 'ScheduleAnyway' && own('kubernetes.io/hostname') !== undefined
    );
  };
  return each(servers(objects), holds, 'it must spread over zones (ScheduleAnyway) and nodes');
};

const rollout = (objects) => {
  const holds = ({ spec: { strategy, replicas }, metadata }) =>
    strategy?.rollingUpdate?.maxUnavailable === 0 ||
    // What has one writer goes before the next one comes.
    (strategy?.type === 'Recreate' && replicas === 1 && metadata.name === 'sandbox');
  return each(ofKind(objects, 'Deployment'), holds, 'a rollout must take no pod away first');
};

const restricted = (objects) => {
  const pod = (it) => {
    const { securityContext: context = {}, ...spec } = podOf(it).spec;
    const shares = spec.hostNetwork || spec.hostPID || spec.hostIPC;
    const host = (spec.volumes ?? []).some(({ hostPath }) => hostPath);
    const runs = context.runAsNonRoot === true && context.runAsUser > 0;
    return runs && context.seccompProfile?.type === 'RuntimeDefault' && !shares && !host;
  };
  const container = ({ securityContext: context = {} }) =>
    context.allowPrivilegeEscalation === false &&
    context.readOnlyRootFilesystem === true &&
    !context.privileged &&
    context.capabilities?.drop?.includes('ALL') &&
    (context.capabilities.add ?? []).length === 0;
  return [
    ...each(workloads(objects), pod, 'its pod is not restricted'),
    ...eachContainer(objects, container, 'a container is not restricted'),
  ];
};

const sources = (it) =>
  (podOf(it).spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
/** The one workload that speaks to the API server: it makes the cluster into which it restores. */
const isDrill = ({ kind, metadata }) => kind === 'CronJob' && metadata.name === 'restore-drill';

const tokens = (objects) => [
  ...each(
    workloads(objects),
    (it) =>
      podOf(it).spec.automountServiceAccountToken === false &&
      (!sources(it).some(({ serviceAccountToken }) => serviceAccountToken) || isDrill(it)),
    'it gets a token of the API server',
  ),
  ...each(
    workloads(objects),
    (it) => (podOf(it).spec.serviceAccountName ?? 'default') !== 'default',
    'it has no account of its own',
  ),
  ...each(
    workloads(objects),
    (it) => podOf(it).spec.enableServiceLinks === false,
    'Services would become settings',
  ),
];

const resources = (objects) => {
  const memory = ({ resources: { requests = {}, limits = {} } = {} }) => {
    const ratio = mebibytes(limits.memory) / mebibytes(requests.memory);
    return requests.cpu !== undefined && ratio >= 2 && ratio <= 4;
  };
  const cpu = ({ resources: { limits = {} } = {} }) => limits.cpu === undefined;
  const threads = ofKind(objects, 'ConfigMap')
    .filter(({ metadata }) => /^settings-/.test(metadata.name))
    .filter(({ data }) => !(Number(data.TOKIO_WORKER_THREADS) >= 1));
  return [
    ...eachContainer(
      objects,
      memory,
      'it needs requests, and a memory limit of about three times its request',
    ),
    ...eachContainer(objects, cpu, 'a CPU limit makes it stand still at the busiest minute'),
    ...threads.map(() => 'without a limit a program has as many threads as its node has cores'),
  ];
};

const autoscaling = (objects) => {
  const scalers = ofKind(objects, 'HorizontalPodAutoscaler', 'ScaledObject');
  const least = ({ spec }) => spec.minReplicas ?? spec.minReplicaCount ?? 0;
  const isByCpu = ({ spec }) =>
    [...(spec.metrics ?? []), ...(spec.triggers ?? [])].some(
      ({ type, resource }) => type === 'cpu' || resource?.name === 'cpu',
    );
  const ofWorkload = (it) =>
    scalers.filter(({ spec }) => spec.scaleTargetRef.name === it.metadata.name);
  const services = ofKind(objects, 'Deployment').filter(
    (it) => labelsOf(it)['app.kubernetes.io/component'] === 'service',
  );
  return [
    ...each(services, (it) => ofWorkload(it).length === 1, 'it needs one autoscaler'),
    ...each(services, (it) => it.spec.replicas === undefined, 'the autoscaler counts its replicas'),
    ...each(scalers, (it) => least(it) >= 1, 'what holds timers must never sleep'),
    ...each(scalers, isByCpu, 'it is not scaled by CPU'),
  ];
};

const secrets = (objects) => {
  // The names that a bucket's own library reads; the sandbox is no part of a practice.
  const allowed = (name) => name.startsWith('AWS_');
  const container = ({ env = [], envFrom = [] }, it) =>
    it.metadata.name === 'sandbox' ||
    (env.every(({ name, valueFrom }) => !valueFrom?.secretKeyRef || allowed(name)) &&
      envFrom.every(({ secretRef }) => !secretRef));
  const keys = 'PRIVATE|SIGNING|CODE|CONSENT|FEED|ADDRESS|INVITATION';
  const urls = 'DATABASE|NATS|SMTP';
  const named = new RegExp(`(_SECRET|_TOKEN|_PASSWORD|(${keys})_KEY|(${urls})_URL)$`);
  const clear = ({ env = [] }, it) =>
    it.metadata.name === 'sandbox' ||
    env.every(({ name, value }) => value === undefined || !named.test(name));
  const shown = ofKind(objects, 'ConfigMap')
    .flatMap(({ data = {} }) => Object.keys(data))
    .filter((name) => named.test(name));
  const stored = ofKind(objects, 'Secret').map(
    (it) => `${nameOf(it)}: a secret's value is in a manifest`,
  );
  return [
    ...eachContainer(
      objects,
      container,
      'a secret is in an environment, not in a file that <NAME>_FILE names',
    ),
    ...eachContainer(objects, clear, 'a secret stands in the manifest'),
    ...shown.map((name) => `${name} is a secret, and stands in a ConfigMap`),
    ...stored,
  ];
};

/** A ConfigMap's name ends with a hash of its content, so that a change rolls what reads it. */
const settings = (objects) => {
  const made = new Set(ofKind(objects, 'ConfigMap').map(({ metadata }) => metadata.name));
  // The API server's authority is the cluster's own, in every namespace.
  const hashed = (name) =>
    (/-[a-z0-9]{10}$/.test(name) && made.has(name)) || name === 'kube-root-ca.crt';
  const volumes = ({ volumes = [] }) =>
    volumes.flatMap(({ configMap, projected }) => [
      configMap,
      ...(projected?.sources ?? []).map((it) => it.configMap),
    ]);
  const holds = (it) => {
    const spec = podOf(it).spec;
    const sets = containersOf(it).flatMap(({ envFrom = [] }) =>
      envFrom.map(({ configMapRef }) => configMapRef),
    );
    return [...sets, ...volumes(spec)].filter(Boolean).every(({ name }) => hashed(name));
  };
  return each(workloads(objects), holds, 'its settings have no checksum in their name');
};

const images = (objects) => {
  const production = ofKind(objects, 'ConfigMap').some(
    ({ data }) => data?.SUKOON_MODE === 'production',
  );
  const isPinned = (image) => /@sha256:[0-9a-f]{64}$/.test(image);
  const clusters = ofKind(objects, 'Cluster').filter(({ spec }) => spec.imageName);
  if (!production) return [];
  return [
    ...eachContainer(objects, ({ image }) => isPinned(image), 'an image without its digest'),
    ...each(clusters, ({ spec }) => isPinned(spec.imageName), 'an image without its digest'),
  ];
};

export const WORKLOAD_POLICIES = {
  autoscaling,
  disruption,
  drain,
  images,
  probes,
  resources,
  restricted,
  rollout,
  secrets,
  settings,
  spread,
  tokens,
};
