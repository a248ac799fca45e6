/** What kustomize makes of the overlays, and of the base with each component. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const FOLDER = join(import.meta.dirname, '..');
/** What a component needs beside it. */
const NEEDS = {
  keda: ['nats'],
  'one-of-each': ['postgres', 'nats'],
  'restore-drill': ['postgres', 'prometheus'],
};
/** What is one or the other. */
const APART = { 'gateway-api': ['ingress'], ingress: ['gateway-api'] };

const names = (folder) =>
  readdirSync(join(FOLDER, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name);

export const overlays = () => names('overlays');
export const components = () => names('components');

/** Whether kubectl, which has kustomize in it, is on this machine. */
export const hasKubectl = () => spawnSync('kubectl', ['version', '--client']).status === 0;

/** The objects of a text in YAML. A key that stands twice is an error. */
export function parse(text) {
  return parseAllDocuments(text, { uniqueKeys: true }).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS() ?? [];
  });
}

function kustomize(folder) {
  const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], options);
  if (status !== 0) throw new Error(`it cannot be rendered: ${stderr.trim()}`);
  return parse(stdout);
}

/** An overlay. */
export const overlay = (name) => kustomize(join(FOLDER, 'overlays', name));

/** Something with components over it, in a kustomization of its own. */
function over(resource, list) {
  // kustomize reads relative paths only, so it stands beside the overlays while it is read.
  const folder = mkdtempSync(join(FOLDER, 'overlays/.check-'));
  try {
    const kustomization = {
      namespace: 'sukoon',
      resources: [relative(folder, join(FOLDER, resource))],
      components: list.map((it) => relative(folder, join(FOLDER, 'components', it))),
    };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    return kustomize(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The base with one component and what that needs. */
export const withComponent = (name) => over('base', [...(NEEDS[name] ?? []), name]);

/** The components that an overlay lists. */
function listed(name) {
  const text = readFileSync(join(FOLDER, 'overlays', name, 'kustomization.yaml'), 'utf8');
  return parse(text)[0].components.map((it) => basename(it));
}

/** Each component that an overlay does not list, and that goes with those that it lists. */
export function others(name) {
  const own = listed(name);
  return components().filter(
    (it) => !own.includes(it) && !APART[it]?.some((other) => own.includes(other)),
  );
}

/** An overlay with one component more, and what that needs. */
export function overlayWith(name, component) {
  const own = listed(name);
  const needs = (NEEDS[component] ?? []).filter((it) => !own.includes(it));
  return over(`overlays/${name}`, [...needs, component]);
}
