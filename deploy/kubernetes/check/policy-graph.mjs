/** The connections that the network policies allow, as Kubernetes reads them. */
import { podOf, workloads } from './workloads.mjs';

/** What stands for any address of the internet. */
const INTERNET = { name: 'internet', address: '198.51.100.1', ports: [25, 443, 465, 587, 6443] };

const ofKind = (objects, kind) => objects.filter((it) => it.kind === kind);

/**
 * The parts with their labels and the ports at which they listen. PostgreSQL's pods are its
 * operator's.
 */
function partsOf(objects) {
  const parts = workloads(objects).map((it) => ({
    name: it.metadata.name,
    labels: podOf(it).metadata.labels,
    ports: podOf(it).spec.containers.flatMap(({ ports = [] }) =>
      ports.map((port) => port.containerPort),
    ),
  }));
  const clusters = ofKind(objects, 'Cluster').map(({ metadata: { name } }) => ({
    name,
    labels: { 'cnpg.io/cluster': name },
    ports: [5432, 8000],
  }));
  return [...parts, ...clusters];
}

function selects(selector, labels) {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const equal = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return (
    equal &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`the operator ${operator} is not read here`);
      return values.includes(labels[key]);
    })
  );
}

function meets(peer, part) {
  if (peer.ipBlock) return part.address !== undefined && !peer.ipBlock.cidr.includes(':');
  // Every part is of this namespace, and a namespace's selector names others.
  if (part.address !== undefined || peer.namespaceSelector) return false;
  return selects(peer.podSelector ?? {}, part.labels);
}

/** Whether a rule lets this through: without peers it is for all, without ports for all of them. */
const lets = (rule, key, other, port) =>
  (!rule[key]?.length || rule[key].some((peer) => meets(peer, other))) &&
  (!rule.ports?.length || rule.ports.some((it) => it.port === port));

/**
 * Whether a part's policies of one direction let a connection through; all do if none is for it.
 */
function allowed(policies, part, direction, other, port) {
  if (part.address !== undefined) return true;
  const [list, key] = direction === 'Ingress' ? ['ingress', 'from'] : ['egress', 'to'];
  const own = policies.filter(
    ({ spec }) => spec.policyTypes.includes(direction) && selects(spec.podSelector, part.labels),
  );
  return (
    own.length === 0 ||
    own.some(({ spec }) => (spec[list] ?? []).some((rule) => lets(rule, key, other, port)))
  );
}

/** All pairs with what each end says. */
function pairs(objects) {
  const policies = ofKind(objects, 'NetworkPolicy');
  const parts = partsOf(objects);
  return parts.flatMap((from) =>
    [...parts, INTERNET].flatMap((to) =>
      to.ports.map((port) => ({
        edge: `${from.name} -> ${to.name}:${port}`,
        isOutside: to === INTERNET,
        out: allowed(policies, from, 'Egress', to, port),
        into: allowed(policies, to, 'Ingress', from, port),
      })),
    ),
  );
}

/** The connections that both ends allow, as `from -> to:port`. */
export const connections = (objects) =>
  new Set(
    pairs(objects)
      .filter(({ out, into }) => out && into)
      .map(({ edge }) => edge),
  );

/** Connections that one end allows and the other refuses: one of the two is a mistake. */
export const oneSided = (objects) =>
  pairs(objects)
    .filter(({ out, into, isOutside }) => out !== into && !isOutside)
    .map(({ edge }) => edge);

/** The parts that no policy but the general ones is for. */
export function unguarded(objects) {
  const own = ofKind(objects, 'NetworkPolicy').filter(
    ({ spec }) => Object.keys(spec.podSelector).length > 0,
  );
  const guarded = ({ labels }) => own.some(({ spec }) => selects(spec.podSelector, labels));
  return partsOf(objects)
    .filter((part) => !guarded(part))
    .map(({ name }) => name);
}
