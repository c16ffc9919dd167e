import { basicCatalogIds } from '../messages.ts'
import { isPlainObject } from '../plain.ts'
import { isNumber, type Check } from '../validate/check.ts'
import { components } from '../validate/components.ts'
import { commonMembers, commonTypes, type SchemaRule } from './common-types.ts'

const weight: Check = (value, path, _, looking) => {
  if (isPlainObject(value) && value.weight !== undefined) isNumber(value.weight, `${path}/weight`, 'weight', looking)
}

const commonTypesFile = 'common_types.json'

function isCommonTypes(document: string): boolean {
  return document.split('/').at(-1) === commonTypesFile
}

/** What a schema of A2UI's own documents stands for; undefined for those of others, which are not fetched. */
export function foreignRule(document: string, pointer: string): SchemaRule | undefined {
  const name = pointer.split('/').at(-1) ?? ''
  if (isCommonTypes(document)) return pointer === `/$defs/${name}` ? commonTypes.get(name) : undefined
  if (!basicCatalogIds.includes(document)) return undefined
  if (pointer === '/$defs/CatalogComponentCommon') return { check: weight, kind: 'static' }
  const basic = pointer === `/components/${name}` ? components.get(name) : undefined
  if (basic === undefined) return undefined
  const check: Check = (value, path, _, looking) => {
    if (isPlainObject(value)) basic.check(value, path, looking)
  }
  return { check, kind: 'static' }
}

/** The properties that such a schema brings to an object. */
export function foreignMembers(document: string, pointer: string): readonly string[] {
  const name = pointer.split('/').at(-1) ?? ''
  if (isCommonTypes(document)) return commonMembers.get(name) ?? []
  return pointer === '/$defs/CatalogComponentCommon' ? ['weight'] : []
}

/** The name that a reference to the Basic Catalog gives; undefined for any other schema. */
export function basicName(schema: unknown, kind: 'components' | 'functions'): string | undefined {
  const reference = isPlainObject(schema) ? schema.$ref : undefined
  if (typeof reference !== 'string') return undefined
  const [document = '', pointer = ''] = reference.split('#')
  return basicCatalogIds.includes(document) && pointer.startsWith(`/${kind}/`)
    ? pointer.slice(kind.length + 2)
    : undefined
}
