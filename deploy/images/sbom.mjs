/** Lists what is in an image, as CycloneDX 1.6: crates, packages of npm, the distribution's. */
import { createHash } from 'node:crypto';

const encode = (text) => encodeURIComponent(text).replace(/%3A/g, ':');

function crateComponent({ name, version, source, checksum }) {
  // A crate of ours has no package URL: it would name another project's crate of the same name.
  if (!source)
    return { type: 'library', 'bom-ref': `sukoon:${name}`, group: 'sukoon', name, version };
  const purl = `pkg:cargo/${encode(name)}@${encode(version)}`;
  const hashes = checksum && { hashes: [{ alg: 'SHA-256', content: checksum }] };
  return { type: 'library', 'bom-ref': purl, name, version, ...hashes, purl };
}

function distributionComponent({ name, version, architecture, source }, { id, version: release }) {
  const from = source ? `&upstream=${encode(source)}` : '';
  const qualifiers = `arch=${architecture}&distro=${id}-${release}${from}`;
  const purl = `pkg:deb/${id}/${encode(name)}@${encode(version)}?${qualifiers}`;
  return { type: 'library', 'bom-ref': purl, name, version, purl };
}

/** The packages of npm that pages are made of, by the lock: those that only tools need are not. */
export function pagePackages(lock) {
  const folder = 'node_modules/';
  return Object.entries(lock.packages)
    .filter(([path, it]) => path.includes(folder) && !it.dev && !it.link)
    .map(([path, { version, integrity, license }]) => {
      const name = path.slice(path.lastIndexOf(folder) + folder.length);
      return { name, version, integrity, license };
    });
}

function pageComponent({ name, version, integrity, license }) {
  const [algorithm, sum] = (integrity ?? '').split('-');
  const content = sum && Buffer.from(sum, 'base64').toString('hex');
  const hashes = algorithm === 'sha512' && { hashes: [{ alg: 'SHA-512', content }] };
  const licenses = license && { licenses: [{ expression: license }] };
  const purl = `pkg:npm/${encode(name).replace('%2F', '/')}@${encode(version)}`;
  return { type: 'library', 'bom-ref': purl, name, version, ...hashes, ...licenses, purl };
}

/** A serial number that is the same for the same list. */
function serialOf(components) {
  const hex = createHash('sha256').update(JSON.stringify(components)).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return `urn:uuid:${[...parts, hex.slice(20, 32)].join('-')}`;
}

/** The list for one image. `crates` have the crates that each needs, `pages` may be empty. */
export function sbomOf(image, { crates, packages, pages, distribution, source }) {
  const refOf = (crate) => crateComponent(crate)['bom-ref'];
  const others = [
    ...packages.map((it) => distributionComponent(it, distribution)),
    ...pages.map(pageComponent),
  ];
  const components = [...crates.map(crateComponent), ...others];
  const subject = `sukoon:image:${image.name}`;
  const needs = crates.map((it) => ({
    ref: refOf(it),
    dependsOn: [...new Set(it.crates.map(refOf))].sort(),
  }));
  const roots = image.programs.map((program) => `sukoon:${program}`);
  const direct = [...roots, ...others.map((it) => it['bom-ref'])];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialOf([subject, source.version, components]),
    version: 1,
    metadata: {
      timestamp: source.created,
      component: {
        type: 'container',
        'bom-ref': subject,
        name: `sukoon-${image.name}`,
        version: source.version,
      },
    },
    components,
    dependencies: [{ ref: subject, dependsOn: [...new Set(direct)].sort() }, ...needs],
  };
}
