// Prints a bill of materials of the published packages: npm run -s sbom > sbom.json
import { readFileSync } from 'node:fs'
import { billOfMaterials } from './supply-chain/bom.ts'
import type { Lockfile } from './supply-chain/shipped.ts'

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as Lockfile
console.log(JSON.stringify(billOfMaterials(lock), undefined, 2))
