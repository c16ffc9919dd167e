import { basicCatalogIds } from '../messages.ts'
import { isPlainObject, own } from '../plain.ts'
import type { CatalogRules, KnownCatalogs } from './catalog-rules.ts'
import { isAddress, isText, must, objectOf, type Check } from './check.ts'
import { components } from './components.ts'
import { functions } from './values.ts'

const isColour = must((value) => typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value), 'a colour like "#00BFFF"')

/** Not an exact shape: a theme may have further properties. */
const basicTheme: Check = (value, path, name, looking) => {
  if (!isPlainObject(value)) return objectOf({ required: [], properties: {} }, name)(value, path, name, looking)
  const known = { primaryColor: isColour, iconUrl: isAddress, agentDisplayName: isText }
  for (const [key, check] of Object.entries(known)) {
    const given = own(value, key)
    if (given !== undefined) check(given, `${path}/${key}`, key, looking)
  }
}

export const basicRules: CatalogRules = {
  name: 'the Basic Catalog',
  components,
  functions,
  theme: basicTheme,
}

/** The Basic Catalog alone, by both of its ids. */
export const basicOnly: KnownCatalogs = new Map(basicCatalogIds.map((id) => [id, basicRules]))
