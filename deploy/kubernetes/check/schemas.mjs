/** Strict validation: against Kubernetes' own schemas, and against those of custom resources. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';

/** The folder with the schemas that are committed here. */
const COMMITTED = 'schemas';
/** The groups of custom resources, each with the package or the folder that has their schemas. */
export const GROUPS = {
  'cert-manager.io': '@kubernetes-models/cert-manager',
  'external-secrets.io': '@kubernetes-models/external-secrets',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'barmancloud.cnpg.io': COMMITTED,
  'postgresql.cnpg.io': COMMITTED,
};

export const nameOf = ({ kind, metadata }) => `${kind}/${metadata?.name}`;
const groupOf = ({ apiVersion }) => (apiVersion.includes('/') ? apiVersion.split('/')[0] : '');
/** Whether an object is of a custom resource. */
export const isCustom = (object) => Object.hasOwn(GROUPS, groupOf(object));

/** The error that says most: not that none of several forms fits. */
const tell = (errors) => {
  const [first] = [...errors].sort((a, b) => b.instancePath.length - a.instancePath.length);
  const extra = first.params?.additionalProperty;
  return `${first.instancePath || '/'} ${first.message}${extra ? `: ${extra}` : ''}`;
};

/** What is wrong with an object by the JSON Schema in a file; nothing if it is right. */
function faultBy(ajv, file, object) {
  const schema = JSON.parse(readFileSync(file, 'utf8'));
  const validate = ajv.getSchema(schema.$id) ?? ajv.compile(schema);
  return validate(object) ? undefined : tell(validate.errors);
}

/** Validates Kubernetes' own objects of one version, with the schemas in a folder. */
export class Kubernetes {
  #folder;
  #ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });

  constructor(version, folder) {
    const path = `kubernetes_validate/kubernetes-json-schema/v${version}.0-local-strict`;
    this.#folder = join(folder, path);
    this.#ajv.addSchema(JSON.parse(readFileSync(join(this.#folder, '_definitions.json'), 'utf8')));
  }

  /** What is wrong with an object; nothing if it is right. */
  fault(object) {
    const [group, version] = object.apiVersion.includes('/')
      ? object.apiVersion.split('/')
      : ['', object.apiVersion];
    const place = group === '' ? version : `${group.split('.')[0]}-${version}`;
    const file = join(this.#folder, `${object.kind.toLowerCase()}-${place}.json`);
    if (!existsSync(file)) return `there is no ${object.kind} in ${object.apiVersion}`;
    return faultBy(this.#ajv, file, object);
  }
}

const ajv = new Ajv({ allowUnionTypes: true, allErrors: true });

/** What is wrong with a custom resource by the schema of its kind that is committed here. */
function committedFault(object) {
  const name = `${object.apiVersion.replace('/', '-')}-${object.kind.toLowerCase()}.json`;
  const file = join(import.meta.dirname, COMMITTED, name);
  if (!existsSync(file)) return `there is no schema of ${object.kind} in ${object.apiVersion}`;
  return faultBy(ajv, file, object);
}

/**
 * The object as a validator sees it, with a list of the fields that it asked for. The packages'
 * validators are compiled and let unknown fields pass: a field that a schema does not have is one
 * that is never read.
 */
function watched(value, path, read) {
  if (value === null || typeof value !== 'object') return value;
  const note = (key) => {
    if (typeof key === 'string') read.add(path).add(`${path}/${key}`);
  };
  return new Proxy(value, {
    get(target, key) {
      if (!Array.isArray(target)) note(key);
      return watched(target[key], `${path}/${String(key)}`, read);
    },
    has(target, key) {
      note(key);
      return key in target;
    },
    ownKeys(target) {
      // A map of any names: all of them are known.
      for (const key of Reflect.ownKeys(target)) note(key);
      return Reflect.ownKeys(target);
    },
  });
}

/** Fields that were never read, in objects of which something was. */
function unread(value, path, read) {
  if (value === null || typeof value !== 'object') return [];
  const isObject = !Array.isArray(value) && read.has(path);
  const unknown = isObject ? Object.keys(value).filter((key) => !read.has(`${path}/${key}`)) : [];
  const deeper = Object.entries(value)
    .filter(([key]) => !unknown.includes(key))
    .flatMap(([key, inner]) => unread(inner, `${path}/${key}`, read));
  return [...unknown.map((key) => `${path}/${key}`), ...deeper];
}

/** What is wrong with a custom resource by the validator of its kind in a package. */
async function packagedFault(source, object) {
  let Model;
  try {
    Model = (await import(`${source}/${object.apiVersion}/${object.kind}`))[object.kind];
  } catch {
    return `${source} has no ${object.kind} in ${object.apiVersion}`;
  }
  const read = new Set();
  try {
    Model.prototype.validate.call(watched(object, '', read));
  } catch (error) {
    return error.message;
  }
  const unknown = unread(object, '', read);
  return unknown.length > 0 ? `a field that does not exist: ${unknown.join(', ')}` : undefined;
}

/** What is wrong with a custom resource: a sentence; nothing if it is right. */
export async function customFault(object) {
  const source = GROUPS[groupOf(object)];
  return source === COMMITTED ? committedFault(object) : packagedFault(source, object);
}
