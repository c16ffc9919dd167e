import type { Lockfile, ShippedPackage } from './shipped.ts'
import { shippedPackages } from './shipped.ts'

const purlOf = ({ name, version }: ShippedPackage) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** SPDX ids stand alone, everything else is an expression or a text. */
function licencesOf({ license }: ShippedPackage) {
  if (license === undefined) return []
  if (/^\(?.* (OR|AND) .*\)?$/.test(license)) return [{ expression: license }]
  return /^[\w.+-]+$/.test(license) ? [{ license: { id: license } }] : [{ license: { name: license } }]
}

/** npm's `sha512-<base64>`, as CycloneDX writes hashes. */
function hashesOf({ integrity }: ShippedPackage) {
  const [, digest] = /^sha512-(.+)$/.exec(integrity ?? '') ?? []
  return digest === undefined ? [] : [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }]
}

/**
 * A CycloneDX bill of materials of the published packages. It has no time and no serial number, so the same lockfile
 * gives the same bytes. `npm sbom --omit=dev` is not used: it leaves out what the workspace's root needs to develop too.
 */
export function billOfMaterials(lock: Lockfile): object {
  const shipped = shippedPackages(lock)
  const refs = new Map(shipped.map((each) => [each.path, `${purlOf(each)}#${each.path}`]))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'framework', name: 'beach', version: lock.packages['packages/beach']?.version } },
    components: shipped.map((each) => ({
      'bom-ref': refs.get(each.path),
      type: 'library',
      name: each.name,
      version: each.version,
      purl: purlOf(each),
      licenses: licencesOf(each),
      hashes: hashesOf(each),
    })),
    dependencies: shipped.map((each) => ({
      ref: refs.get(each.path),
      dependsOn: each.requires.map((path) => refs.get(path)),
    })),
  }
}
