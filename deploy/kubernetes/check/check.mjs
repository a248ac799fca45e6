/**
 * `make check-deploy`: renders every overlay, and the base with every component; validates all
 * objects strictly against three versions of Kubernetes and the schemas of custom resources; and
 * applies our own policies. It needs kubectl and no network; prepare.mjs has fetched what it reads.
 *
 * Usage: node deploy/kubernetes/check/check.mjs <folder with the schemas>
 */
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import * as natsUsers from './nats-users.mjs';
import { files } from './network.mjs';
import { PRACTICE_POLICIES } from './practice.mjs';
import { VERSIONS } from './prepare.mjs';
import { ROOT, readTable } from './reach.mjs';
import {
  components,
  hasKubectl,
  others,
  overlay,
  overlays,
  overlayWith,
  withComponent,
} from './render.mjs';
import { customFault, isCustom, Kubernetes, nameOf } from './schemas.mjs';
import { STORE_POLICIES } from './stores.mjs';
import { WORKLOAD_POLICIES } from './workloads.mjs';

const ALL = { ...WORKLOAD_POLICIES, ...PRACTICE_POLICIES, ...STORE_POLICIES };
/** Images get their digests in overlays, and what restores stands beside what is backed up. */
const { images: _images, restores: _restores, ...OF_THE_BASE } = ALL;

const count = (number, what) => `${number} ${what}${number === 1 ? '' : 's'}`;

/** Generated files that the table does not say any more. */
function stale() {
  const table = readTable();
  const all = { ...files(table), [natsUsers.FILE]: natsUsers.text(table) };
  return Object.entries(all)
    .filter(([file, text]) => readFileSync(file, 'utf8') !== text)
    .map(([file]) => `${relative(ROOT, file)} is old: run network.mjs and nats-users.mjs`);
}

/** What is wrong with objects by their schemas. */
async function invalid(objects, kubernetes) {
  const faults = [];
  for (const object of objects) {
    if (isCustom(object)) {
      const fault = await customFault(object);
      if (fault) faults.push(`${nameOf(object)}: ${fault}`);
      continue;
    }
    for (const [version, schemas] of kubernetes) {
      const fault = schemas.fault(object);
      if (fault) faults.push(`${nameOf(object)}: Kubernetes ${version}: ${fault}`);
    }
  }
  return faults;
}

const broken = (objects, policies) =>
  Object.entries(policies).flatMap(([name, policy]) =>
    policy(objects).map((it) => `${name}: ${it}`),
  );

/** The objects of one rendering with all that is wrong with them. */
async function faultsOf(render, { policies, kubernetes }) {
  let objects = [];
  try {
    objects = render();
  } catch (error) {
    return { objects, faults: [error.message] };
  }
  const schemas = await invalid(objects, kubernetes);
  return { objects, faults: [...schemas, ...broken(objects, policies)] };
}

async function main(folder) {
  if (!hasKubectl()) {
    console.error('kubectl is missing: install it, then try again (make check does not need it).');
    process.exit(2);
  }
  const kubernetes = VERSIONS.map((version) => [version, new Kubernetes(version, resolve(folder))]);
  const renders = [
    ...overlays().map((name) => [`overlay ${name}`, () => overlay(name), ALL]),
    ...components().map((name) => [`base with ${name}`, () => withComponent(name), OF_THE_BASE]),
    ...overlays().flatMap((name) =>
      others(name).map((it) => [`${name} with ${it}`, () => overlayWith(name, it), OF_THE_BASE]),
    ),
  ];
  let faults = stale();
  let objects = 0;
  for (const fault of faults) console.error(fault);
  for (const [title, render, policies] of renders) {
    const found = await faultsOf(render, { policies, kubernetes });
    faults = [...faults, ...found.faults];
    objects += found.objects.length;
    const { length } = found.faults;
    console.log(`  ${title}: ${count(found.objects.length, 'object')}, ${count(length, 'fault')}`);
    for (const fault of found.faults) console.error(`    ${fault}`);
  }
  console.log(
    `  ${count(renders.length, 'rendering')} with ${objects.toLocaleString('en')} objects`,
  );
  console.log(
    `  ${Object.keys(ALL).length} policies of our own; Kubernetes ${VERSIONS.join(', ')}, strict`,
  );
  process.exit(faults.length === 0 ? 0 : 1);
}

await main(process.argv[2]);
