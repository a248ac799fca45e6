/**
 * Writes an image as the OCI image specification 1.1 has it: a folder that is an image layout, with
 * the list of what is inside as a referrer of the image, and a tar of the image for tools that load
 * one.
 */
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { USER } from './images.mjs';
import { pack } from './layer.mjs';

export const MEDIA_TYPES = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  empty: 'application/vnd.oci.empty.v1+json',
  sbom: 'application/vnd.cyclonedx+json',
};

/** Where a layout has the blob of a digest. */
export const blobPath = (layout, digest) => join(layout, 'blobs', ...digest.split(':'));

/** Writes a blob of text, or of JSON, and returns its descriptor. */
function putBlob(layout, mediaType, value) {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  writeFileSync(blobPath(layout, digest), bytes);
  return { mediaType, digest, size: bytes.length };
}

/** What is said of an image, as labels for engines and as annotations for registries. */
export function labelsOf(image, source) {
  const labels = {
    created: source.created,
    title: `sukoon-${image.name}`,
    description: image.about,
    version: source.version,
    revision: source.revision,
    licenses: source.licence,
    vendor: 'Sukoon',
  };
  const pairs = Object.entries(labels).filter(([, value]) => value);
  return Object.fromEntries(
    pairs.map(([key, value]) => [`org.opencontainers.image.${key}`, value]),
  );
}

function configOf(image, layers, source, labels) {
  return {
    created: source.created,
    architecture: source.architecture,
    os: 'linux',
    config: {
      User: `${USER}:${USER}`,
      Env: image.settings,
      Entrypoint: image.command,
      WorkingDir: '/',
      Labels: labels,
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ name }) => ({
      created: source.created,
      created_by: `deploy/images: ${name}`,
    })),
  };
}

/** Writes the index, which names what the layout is for. */
function putIndex(layout, manifests) {
  const index = { schemaVersion: 2, mediaType: MEDIA_TYPES.index, manifests };
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(join(layout, 'index.json'), JSON.stringify(index));
}

function putImage(layout, image, layers, source) {
  const labels = labelsOf(image, source);
  const config = putBlob(layout, MEDIA_TYPES.config, configOf(image, layers, source, labels));
  for (const { file, descriptor } of layers) linkSync(file, blobPath(layout, descriptor.digest));
  return putBlob(layout, MEDIA_TYPES.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.manifest,
    config,
    layers: layers.map(({ descriptor }) => descriptor),
    annotations: labels,
  });
}

/** Puts the list beside the image: a manifest of its own, whose subject is the image's. */
function putSbom(layout, sbom, subject, source) {
  const config = putBlob(layout, MEDIA_TYPES.empty, '{}');
  const annotations = { 'org.opencontainers.image.created': source.created };
  const manifest = putBlob(layout, MEDIA_TYPES.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.manifest,
    artifactType: MEDIA_TYPES.sbom,
    config,
    layers: [putBlob(layout, MEDIA_TYPES.sbom, sbom)],
    subject,
    annotations,
  });
  return { ...manifest, artifactType: MEDIA_TYPES.sbom, annotations };
}

/**
 * Writes the layout `output/<name>`, the tar `output/<name>.tar` and the list
 * `output/<name>.cdx.json`, and returns the image's digest. The tar has the image alone, because
 * podman loads no tar whose index has a second entry.
 */
export function writeImage(output, image, { layers, sbom, source }) {
  const layout = join(output, image.name);
  for (const path of [layout, `${layout}.tar`]) rmSync(path, { recursive: true, force: true });
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
  const manifest = putImage(layout, image, layers, source);
  const named = {
    ...manifest,
    platform: { architecture: source.architecture, os: 'linux' },
    annotations: { 'org.opencontainers.image.ref.name': source.reference },
  };
  putIndex(layout, [named]);
  pack(layout, `${layout}.tar`, source.seconds);
  const text = `${JSON.stringify(sbom, null, 2)}\n`;
  writeFileSync(`${layout}.cdx.json`, text);
  putIndex(layout, [named, putSbom(layout, text, manifest, source)]);
  return manifest.digest;
}
