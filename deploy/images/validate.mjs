/**
 * Reads an image layout and finds what the OCI image specification 1.1 does not allow, or what
 * another part of the layout contradicts. Faults are sentences; none means that the layout is good.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { digestOf } from './layer.mjs';
import { blobPath, MEDIA_TYPES } from './layout.mjs';

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** DiffIDs by the digest of the layer, because images share layers and unpacking takes long. */
const diffIds = new Map();

function diffIdOf(layout, { digest }) {
  if (!diffIds.has(digest)) {
    const tar = gunzipSync(readFileSync(blobPath(layout, digest)));
    diffIds.set(digest, `sha256:${createHash('sha256').update(tar).digest('hex')}`);
  }
  return diffIds.get(digest);
}

class Reader {
  faults = [];
  /** The digests that something refers to. */
  known = new Set();

  constructor(layout) {
    this.layout = layout;
  }

  /** Notes a fault unless `holds`. */
  must(holds, fault) {
    if (!holds) this.faults.push(fault);
    return Boolean(holds);
  }

  json(path, what) {
    try {
      return JSON.parse(readFileSync(path, 'utf8'));
    } catch {
      this.faults.push(`${what} is no JSON file`);
      return {};
    }
  }

  annotations(value, what) {
    const values = Object.values(value ?? {});
    this.must(
      values.every((it) => typeof it === 'string'),
      `${what}: annotations are not all text`,
    );
  }

  /** Whether a descriptor is well formed and its blob is what it says. */
  descriptor(value, types, what) {
    const { mediaType, digest, size } = value ?? {};
    this.must(types.includes(mediaType), `${what}: the media type is ${mediaType}`);
    this.annotations(value?.annotations, what);
    if (!this.must(DIGEST.test(digest), `${what}: ${digest} is no digest`)) return false;
    this.known.add(digest);
    const path = blobPath(this.layout, digest);
    if (!this.must(existsSync(path), `${what}: there is no blob ${digest}`)) return false;
    const { size: bytes } = statSync(path);
    this.must(size === bytes, `${what}: the size is ${size} but the blob has ${bytes} bytes`);
    return this.must(digestOf(path) === digest, `${what}: the blob is not ${digest}`);
  }

  blob(descriptor, types, what) {
    if (!this.descriptor(descriptor, types, what)) return {};
    return this.json(blobPath(this.layout, descriptor.digest), what);
  }

  manifest(descriptor, what) {
    const manifest = this.blob(descriptor, [MEDIA_TYPES.manifest], what);
    this.must(manifest.schemaVersion === 2, `${what}: schemaVersion is not 2`);
    this.must(manifest.mediaType === MEDIA_TYPES.manifest, `${what}: it has another media type`);
    this.must(manifest.layers?.length > 0, `${what}: it has no layer`);
    this.annotations(manifest.annotations, what);
    return manifest;
  }
}

function readConfig(reader, { config: descriptor, layers = [] }, platform) {
  const config = reader.blob(descriptor, [MEDIA_TYPES.config], 'config');
  for (const key of ['architecture', 'os']) {
    reader.must(config[key] && config[key] === platform?.[key], `config: ${key} is ${config[key]}`);
  }
  reader.must(TIME.test(config.created), `config: created is ${config.created}`);
  reader.must(config.rootfs?.type === 'layers', 'config: rootfs is not of layers');
  const ids = config.rootfs?.diff_ids ?? [];
  reader.must(
    ids.length === layers.length,
    `config: ${ids.length} DiffIDs, ${layers.length} layers`,
  );
  const history = (config.history ?? []).filter((it) => !it.empty_layer);
  reader.must(history.length === layers.length, `config: the history has ${history.length} layers`);
  const texts = ['Env', 'Entrypoint'].flatMap((key) => config.config?.[key] ?? []);
  reader.must(
    texts.every((it) => typeof it === 'string'),
    'config: not all are texts',
  );
  return config;
}

function readImage(reader, descriptor) {
  const manifest = reader.manifest(descriptor, 'image');
  reader.must(!manifest.subject, 'image: it has a subject');
  const config = readConfig(reader, manifest, descriptor?.platform);
  for (const [at, layer] of (manifest.layers ?? []).entries()) {
    if (!reader.descriptor(layer, [MEDIA_TYPES.layer], `layer ${at}`)) continue;
    const same = diffIdOf(reader.layout, layer) === config.rootfs?.diff_ids?.[at];
    reader.must(same, `layer ${at}: its content is not of its DiffID`);
  }
  return { descriptor, manifest, config };
}

/** A referrer: a manifest with a type and a subject, which is the image. */
function readReferrer(reader, descriptor, image) {
  const what = 'referrer';
  const manifest = reader.manifest(descriptor, what);
  const { artifactType, config, subject, layers = [] } = manifest;
  const one = artifactType && artifactType === descriptor.artifactType;
  reader.must(one, `${what}: its type is ${artifactType}, in the index ${descriptor.artifactType}`);
  reader.descriptor(config, [MEDIA_TYPES.empty], `${what}'s config`);
  reader.must(
    subject?.digest === image?.digest && subject?.size === image?.size,
    `${what}: its subject is not the image`,
  );
  for (const layer of layers) reader.descriptor(layer, [artifactType], `${what}'s blob`);
  return { artifactType, blobs: layers.map(({ digest }) => digest) };
}

/** Reads the layout in a folder: its faults, its image, and what refers to the image. */
export function readLayout(layout) {
  const reader = new Reader(layout);
  const version = reader.json(join(layout, 'oci-layout'), 'oci-layout').imageLayoutVersion;
  reader.must(version === '1.0.0', `oci-layout: the version is ${version}`);
  const index = reader.json(join(layout, 'index.json'), 'index');
  reader.must(index.schemaVersion === 2, 'index: schemaVersion is not 2');
  reader.must(index.mediaType === MEDIA_TYPES.index, 'index: it has another media type');
  const manifests = index.manifests ?? [];
  const images = manifests.filter((it) => !it.artifactType);
  reader.must(images.length === 1, `index: it names ${images.length} images`);
  const image = readImage(reader, images[0]);
  const others = manifests.filter((it) => it.artifactType);
  const referrers = others.map((it) => readReferrer(reader, it, images[0]));
  const blobs = join(layout, 'blobs/sha256');
  const there = existsSync(blobs) ? readdirSync(blobs) : [];
  const loose = there.filter((name) => !reader.known.has(`sha256:${name}`));
  for (const name of loose) reader.faults.push(`nothing refers to the blob ${name}`);
  return { faults: reader.faults, image, referrers };
}
