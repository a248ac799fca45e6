/** What kustomize makes of the overlays, and of the base with each component. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const FOLDER = join(import.meta.dirname, '..');
/** What a component needs beside it. */
const NEEDS = {
  keda: ['nats'],
  'one-of-each': ['postgres', 'nats'],
  'restore-drill': ['postgres', 'prometheus'],
};

const names = (folder) =>
  readdirSync(join(FOLDER, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
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

/** The base with one component and what that needs, in a kustomization of its own. */
export function withComponent(name) {
  // kustomize reads relative paths only, so it stands beside the overlays while it is read.
  const folder = mkdtempSync(join(FOLDER, 'overlays/.check-'));
  try {
    const list = [...(NEEDS[name] ?? []), name].map((it) => join(FOLDER, 'components', it));
    const kustomization = {
      namespace: 'sukoon',
      resources: [relative(folder, join(FOLDER, 'base'))],
      components: list.map((it) => relative(folder, it)),
    };
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    return kustomize(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
