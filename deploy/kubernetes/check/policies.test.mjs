/** Each policy refuses a manifest that breaks it: the production overlay, broken in one place. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { PRACTICE_POLICIES } from './practice.mjs';
import { overlay } from './render.mjs';
import { STORE_POLICIES } from './stores.mjs';
import { podOf, WORKLOAD_POLICIES } from './workloads.mjs';

const POLICIES = { ...WORKLOAD_POLICIES, ...PRACTICE_POLICIES, ...STORE_POLICIES };
let whole;

const find = (objects, kind, name) =>
  objects.find(
    (it) =>
      it.kind === kind && (it.metadata.name === name || it.metadata.name.startsWith(`${name}-`)),
  );
const pod = (objects, kind = 'Deployment', name = 'booking') =>
  podOf(find(objects, kind, name)).spec;
const container = (objects, kind, name) => pod(objects, kind, name).containers[0];
const drop = (objects, kind, name) => objects.splice(objects.indexOf(find(objects, kind, name)), 1);

const rolesOf = (objects) => find(objects, 'Cluster', 'postgres').spec.managed.roles;
/** Replaces words in a file of a ConfigMap, which must be there. */
function change(objects, name, file, words, others) {
  const all = objects.filter(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith(`${name}-`),
  );
  const { data } = all.find((it) => it.data?.[file]);
  assert.ok(data[file].includes(words), `${file} does not say ${words}`);
  data[file] = data[file].replace(words, others);
}

/** Ways to break each policy. */
const BREAKS = {
  autoscaling: {
    'a service without an autoscaler': (all) => drop(all, 'HorizontalPodAutoscaler', 'gateway'),
    'replicas beside an autoscaler': (all) =>
      (find(all, 'Deployment', 'gateway').spec.replicas = 3),
    'more memory but no more processes': (all) =>
      (find(all, 'HorizontalPodAutoscaler', 'gateway').spec.metrics[0].resource.name = 'memory'),
    'lag alone': (all) => find(all, 'ScaledObject', 'payments').spec.triggers.shift(),
    'workers that sleep': (all) =>
      (find(all, 'ScaledObject', 'notifications').spec.minReplicaCount = 0),
  },
  broker: {
    'a user that hears all': (all) => change(all, 'nats', 'nats.conf', '"_INBOX_booking.>"', '">"'),
    'a user that speaks for another': (all) =>
      change(all, 'nats', 'nats.conf', '"events.reviews.>"', '"events.>"'),
    'a user that is no service': (all) =>
      change(all, 'nats', 'nats.conf', '  users: [', '  users: [ { user: "any" }'),
    'streams that one server takes along': (all) =>
      (find(all, 'ConfigMap', 'settings').data.NATS_STREAM_REPLICAS = '1'),
    'streams on more servers than there are': (all) =>
      (find(all, 'StatefulSet', 'nats').spec.replicas = 1),
    'connections without a certificate': (all) =>
      change(all, 'nats', 'nats.conf', '  verify: true', '  verify: false'),
  },
  databaseLog: {
    'values of statements': (all) =>
      delete find(all, 'Cluster', 'postgres').spec.postgresql.parameters.log_parameter_max_length,
    'values of refused rows': (all) =>
      (find(all, 'Cluster', 'postgres').spec.postgresql.parameters.log_error_verbosity = 'default'),
  },
  deny: {
    'nothing is denied': (all) => drop(all, 'NetworkPolicy', 'default-deny'),
    'only what comes in is denied': (all) =>
      find(all, 'NetworkPolicy', 'default-deny').spec.policyTypes.pop(),
    'a part that cannot find the others': (all) => drop(all, 'NetworkPolicy', 'dns'),
    'a part without a policy': (all) => drop(all, 'NetworkPolicy', 'prometheus'),
  },
  disruption: {
    'no budget': (all) => drop(all, 'PodDisruptionBudget', 'booking'),
    'a budget that lets all go': (all) =>
      (find(all, 'PodDisruptionBudget', 'nats').spec.maxUnavailable = 3),
    'a budget of other pods': (all) =>
      (find(all, 'PodDisruptionBudget', 'booking').spec.selector.matchLabels[
        'app.kubernetes.io/name'
      ] = 'other'),
  },
  drain: {
    'no pause before the signal': (all) => delete container(all).lifecycle,
    'killed while requests end': (all) => (pod(all).terminationGracePeriodSeconds = 5),
    'a server of NATS that has no time to go': (all) =>
      (pod(all, 'StatefulSet', 'nats').terminationGracePeriodSeconds = 30),
  },
  images: {
    'a tag': (all) => (container(all).image = 'registry.example/sukoon/booking:latest'),
    'a tag of PostgreSQL': (all) =>
      (find(all, 'Cluster', 'postgres').spec.imageName = 'postgresql:17'),
  },
  lag: {
    'a consumer that does not exist': (all) =>
      (find(all, 'ScaledObject', 'payments').spec.triggers[1].metadata.consumer = 'payments'),
    'a source that is missing': (all) =>
      find(all, 'ScaledObject', 'notifications').spec.triggers.pop(),
    'a state that cannot be asked for': (all) => drop(all, 'NetworkPolicy', 'nats-from-keda'),
    'another port': (all) =>
      (find(all, 'ScaledObject', 'reviews').spec.triggers[1].metadata.natsServerMonitoringEndpoint =
        'nats-pods.sukoon.svc:4222'),
    'another namespace': (all) =>
      (find(all, 'ScaledObject', 'payments').metadata.namespace = 'other'),
  },
  migrations: {
    'a database that is never migrated': (all) => drop(all, 'Job', 'migrate-reviews'),
    'another image': (all) => (container(all, 'Job', 'migrate-reviews').image = 'other'),
    'after the rollout': (all) => delete find(all, 'Job', 'migrate-booking').metadata.annotations,
    'a Job that serves': (all) => delete container(all, 'Job', 'migrate-reviews').args,
    'a service that knows the owner': (all) =>
      pod(all).volumes.push({ name: 'x', secret: { secretName: 'booking-owner' } }),
  },
  namespace: {
    'any pod is let in': (all) =>
      delete find(all, 'Namespace', 'sukoon').metadata.labels['pod-security.kubernetes.io/enforce'],
  },
  network: {
    'a caller that the table does not have': (all) =>
      find(all, 'NetworkPolicy', 'catalogue').spec.ingress.push({}),
    'a caller that the table has is refused': (all) =>
      (find(all, 'NetworkPolicy', 'catalogue').spec.ingress = []),
    'a way out that no part needs': (all) =>
      find(all, 'NetworkPolicy', 'gateway').spec.egress.push({
        to: [{ ipBlock: { cidr: '0.0.0.0/0' } }],
      }),
    'no way out to the payment provider': (all) => {
      const { spec } = find(all, 'NetworkPolicy', 'payments');
      spec.egress = spec.egress.filter((rule) => !rule.to[0].ipBlock);
    },
    'the state of NATS for a service': (all) => {
      find(all, 'NetworkPolicy', 'nats-clients').spec.ingress[0].ports.push({
        port: 8222,
        protocol: 'TCP',
      });
      find(all, 'NetworkPolicy', 'reviews').spec.egress.push({ ports: [{ port: 8222 }] });
    },
  },
  order: {
    'all at once': (all) =>
      (find(all, 'Deployment', 'booking').metadata.annotations['argocd.argoproj.io/sync-wave'] =
        '0'),
  },
  postgres: {
    'commits that no standby has': (all) =>
      delete find(all, 'Cluster', 'postgres').spec.postgresql.synchronous,
    'commits that need no standby when it is slow': (all) =>
      (find(all, 'Cluster', 'postgres').spec.postgresql.synchronous.dataDurability = 'preferred'),
    'a log that is not archived': (all) =>
      (find(all, 'Cluster', 'postgres').spec.plugins[0].isWALArchiver = false),
    'a backup in the clear': (all) =>
      delete find(all, 'ObjectStore', 'backups').spec.configuration.data.encryption,
    'no backup at night': (all) => drop(all, 'ScheduledBackup', 'nightly'),
    'any role in any database': (all) =>
      find(all, 'Cluster', 'postgres').spec.postgresql.pg_hba.pop(),
  },
  probes: {
    'no startup probe': (all) => delete container(all).startupProbe,
    'no readiness probe': (all) => delete container(all, 'StatefulSet', 'nats').readinessProbe,
    'a database restarts the process': (all) =>
      (container(all).livenessProbe.httpGet.path = '/readyz'),
  },
  resources: {
    'a CPU limit': (all) => (container(all).resources.limits.cpu = '1'),
    'a memory limit of ten times the request': (all) =>
      (container(all).resources.limits.memory = '640Mi'),
    'as many threads as cores': (all) =>
      delete find(all, 'ConfigMap', 'settings').data.TOKIO_WORKER_THREADS,
    'no memory limit': (all) => delete container(all).resources.limits,
    'an agent without requests': (all) => delete pod(all).initContainers[0].resources.requests,
  },
  restores: {
    'no drill': (all) => drop(all, 'CronJob', 'restore-drill'),
    'a drill that never runs': (all) => (find(all, 'CronJob', 'restore-drill').spec.suspend = true),
    'a drill on another bucket': (all) =>
      change(all, 'restore-drill-script', 'cluster.yaml', 'Name: backups', 'Name: other'),
    'a drill on the archive from before a restore': (all) =>
      (find(all, 'Cluster', 'postgres').spec.plugins[0].parameters.serverName = 'postgres-2'),
    'a scratch cluster that archives': (all) =>
      change(all, 'restore-drill-script', 'cluster.yaml', '  instances: 1', '  plugins: []'),
    'a drill that may delete the practice': (all) =>
      find(all, 'Role', 'restore-drill').rules.push({
        apiGroups: ['postgresql.cnpg.io'],
        resources: ['clusters'],
        verbs: ['delete'],
      }),
    'a drill that reads Secrets': (all) =>
      find(all, 'Role', 'restore-drill').rules.push({
        apiGroups: [''],
        resources: ['secrets'],
        verbs: ['get'],
      }),
    'a drill with rights everywhere': (all) =>
      all.push({ kind: 'ClusterRoleBinding', metadata: { name: 'restore-drill' } }),
    'a checker that owns a database': (all) =>
      container(all, 'CronJob', 'restore-check').env.push({
        name: 'BOOKING_MIGRATION_DATABASE_URL_FILE',
      }),
    'another program than the checker': (all) =>
      (container(all, 'CronJob', 'restore-check').command = ['sukoon']),
  },
  restricted: {
    'a root': (all) => (pod(all).securityContext.runAsNonRoot = false),
    'a file system to write on': (all) =>
      (container(all).securityContext.readOnlyRootFilesystem = false),
    'a capability': (all) =>
      (container(all, 'Job', 'migrate-booking').securityContext.capabilities.add = ['NET_ADMIN']),
    'all capabilities': (all) => delete container(all).securityContext.capabilities,
    'rights that grow': (all) => (container(all).securityContext.allowPrivilegeEscalation = true),
    'a privileged container': (all) => (container(all).securityContext.privileged = true),
    'the user 0': (all) => (pod(all).securityContext.runAsUser = 0),
    'the network of the node': (all) => (pod(all).hostNetwork = true),
    'a folder of the node': (all) => pod(all).volumes.push({ name: 'x', hostPath: { path: '/' } }),
    'no seccomp': (all) => delete pod(all, 'StatefulSet', 'nats').securityContext.seccompProfile,
  },
  roles: {
    'a service without its reader': (all) => rolesOf(all).splice(2, 1),
    'a role that may do all': (all) => (rolesOf(all)[1].superuser = true),
    'a service that reads all databases': (all) => (rolesOf(all)[1].inRoles = ['pg_read_all_data']),
    'a role without a password': (all) => delete rolesOf(all)[1].passwordSecret,
    'a role in another database': (all) =>
      (find(all, 'Cluster', 'postgres').spec.postgresql.pg_hba[0] += ' # booking'),
    'a database of the role that serves': (all) =>
      (find(all, 'Database', 'booking').spec.owner = 'booking'),
  },
  rollout: {
    'a pod goes first': (all) =>
      (find(all, 'Deployment', 'booking').spec.strategy.rollingUpdate.maxUnavailable = 1),
    'all go first': (all) =>
      (find(all, 'Deployment', 'booking').spec.strategy = { type: 'Recreate' }),
  },
  runbooks: {
    'a runbook that is not there': (all) => {
      const alerts = find(all, 'ConfigMap', 'alerts');
      alerts.data['alerts.yml'] = alerts.data['alerts.yml'].replace(
        '#ledgerimbalance',
        '#elsewhere',
      );
    },
    'a part without one': (all) => delete find(all, 'StatefulSet', 'nats').metadata.annotations,
    'an alert without one': (all) =>
      (find(all, 'ConfigMap', 'alerts').data['alerts.yml'] += '\n- alert: New\n'),
  },
  secrets: {
    'in an environment': (all) =>
      container(all).env.push({
        name: 'NATS_URL',
        valueFrom: { secretKeyRef: { name: 'booking', key: 'NATS_URL' } },
      }),
    'a whole Secret in an environment': (all) =>
      container(all).envFrom.push({ secretRef: { name: 'booking' } }),
    'in a manifest': (all) =>
      container(all).env.push({ name: 'NATS_URL', value: 'tls://booking:word@nats' }),
    'in the settings': (all) =>
      (find(all, 'ConfigMap', 'settings').data.PAYMENTS_KEY_SECRET = 'word'),
    'a Secret with values': (all) =>
      all.push({ kind: 'Secret', metadata: { name: 'booking' }, data: {} }),
  },
  settings: {
    'settings without a checksum': (all) =>
      (container(all).envFrom[0].configMapRef.name = 'settings'),
    'rules of NATS without a checksum': (all) =>
      (pod(all, 'StatefulSet', 'nats').volumes[0].projected.sources[0].configMap.name = 'nats'),
  },
  spread: {
    anywhere: (all) => delete pod(all).topologySpreadConstraints,
    'a zone that is down stops all': (all) =>
      (pod(all).topologySpreadConstraints[0].whenUnsatisfiable = 'DoNotSchedule'),
    'nodes are all one': (all) => pod(all).topologySpreadConstraints.pop(),
  },
  tls: {
    'no certificate': (all) => drop(all, 'Certificate', 'booking'),
    'a certificate that is not mounted': (all) => {
      pod(all).volumes = pod(all).volumes.filter(({ name }) => name !== 'tls');
    },
    'a certificate of another name': (all) =>
      (find(all, 'Certificate', 'nats').spec.dnsNames = ['other']),
    'a certificate that names two parts': (all) =>
      find(all, 'Certificate', 'reviews').spec.dnsNames.push('booking'),
    'a call in the clear': (all) =>
      (find(all, 'ConfigMap', 'settings').data.BOOKING_URL = 'http://booking:9000'),
    'TLS is off': (all) => delete find(all, 'ConfigMap', 'settings').data.TLS_CERTIFICATE,
  },
  tokens: {
    'a token': (all) => delete pod(all).automountServiceAccountToken,
    'a token by another way': (all) =>
      pod(all).volumes.push({
        name: 'x',
        projected: { sources: [{ serviceAccountToken: { path: 'token' } }] },
      }),
    'an account that others have': (all) =>
      delete pod(all, 'Job', 'migrate-booking').serviceAccountName,
    'settings from Services': (all) => delete pod(all).enableServiceLinks,
  },
};

before(() => {
  whole = overlay('production');
});

it('has a way to break each policy', () => {
  assert.deepEqual(Object.keys(BREAKS).sort(), Object.keys(POLICIES).sort());
});

for (const [name, ways] of Object.entries(BREAKS)) {
  describe(name, () => {
    it('passes what is whole', () => assert.deepEqual(POLICIES[name](whole), []));
    for (const [way, breakIt] of Object.entries(ways)) {
      it(`refuses: ${way}`, () => {
        const all = structuredClone(whole);
        breakIt(all);
        assert.notDeepEqual(POLICIES[name](all), []);
      });
    }
  });
}
