import { BeachError } from '@cool-ai/beach-core'
import { basicCatalogIds } from '../messages.ts'
import { isPlainObject, kindOf, quoted } from '../plain.ts'
import { escapeSegment } from '../pointer.ts'
import type { CatalogRules, ComponentRules, FunctionRules, Returns } from '../validate/catalog-rules.ts'
import { basicRules } from '../validate/basic-rules.ts'
import { checkShape, type Check, type Shape } from '../validate/check.ts'
import { commonProperties, components as basicComponents } from '../validate/components.ts'
import { functions as basicFunctions } from '../validate/values.ts'
import type { A2uiCatalog } from './a2ui-catalog.ts'
import { SchemaCompiler, type Refuse } from './compile-schema.ts'
import { basicName } from './foreign-schemas.ts'
import { referencesIn, type PropertyKind, type PropertyKinds } from './property-kind.ts'

const compiled = new WeakMap<A2uiCatalog, CatalogRules>()

/** What surfaces of a catalog are held to. Throws, with the place, for a catalog that cannot be enforced. */
export function rulesOf(catalog: A2uiCatalog): CatalogRules {
  const known = compiled.get(catalog)
  if (known !== undefined) return known
  const rules = compile(catalog)
  compiled.set(catalog, rules)
  return rules
}

function compile(catalog: A2uiCatalog): CatalogRules {
  const { catalogId } = catalog
  if (typeof catalogId !== 'string' || catalogId === '') {
    throw refusal('A catalog of A2UI needs its id as `catalogId`, such as "https://example.com/catalog.json".')
  }
  if (basicCatalogIds.includes(catalogId)) {
    throw refusal(
      `The catalog ${quoted(catalogId)} is the Basic Catalog, which every agent has. Give yours another id.`,
    )
  }
  const refuse: Refuse = (place, problem) => {
    throw refusal(`The catalog ${quoted(catalogId)} cannot be used: ${place} ${problem}`)
  }
  const compiler = new SchemaCompiler(catalog, refuse)
  const components = new Map(
    membersOf(catalog, 'components', refuse).map(([name, schema]) => {
      return [name, componentRules(schema, `/components/${escapeSegment(name)}`, compiler, refuse)]
    }),
  )
  if (components.size === 0) refuse('/components', 'has no component. Give at least one.')
  return {
    name: `the catalog ${JSON.stringify(catalogId)}`,
    components,
    functions: functionsOf(catalog, compiler, refuse),
    theme: themeOf(catalog, compiler, refuse),
  }
}

function refusal(message: string): BeachError {
  return new BeachError('INVALID_REGISTRATION', message)
}

function membersOf(catalog: A2uiCatalog, key: string, refuse: Refuse): [string, unknown][] {
  const given = catalog[key] ?? {}
  return isPlainObject(given) ? Object.entries(given) : refuse(`/${key}`, `is ${kindOf(given)}, and no object.`)
}

function componentRules(schema: unknown, place: string, compiler: SchemaCompiler, refuse: Refuse): ComponentRules {
  const basic = basicName(schema, 'components')
  if (basic !== undefined) {
    return (
      basicComponents.get(basic) ?? refuse(`${place}/$ref`, `names ${quoted(basic)}, which the Basic Catalog lacks.`)
    )
  }
  const rule = compiler.compile(schema, place, Object.keys(commonProperties))
  const kinds = kindsOf(rule.kind)
  return {
    kinds,
    references: (given) => referencesIn(given, kinds),
    check: (given, path, looking) => {
      checkCommon(given, path, looking)
      rule.check(given, path, '', looking)
    },
  }
}

const commonShape: Shape = { required: ['id', 'component'], properties: commonProperties }

const checkCommon: ComponentRules['check'] = (given, path, looking) => {
  const common = Object.entries(given).filter(([key]) => Object.hasOwn(commonProperties, key))
  checkShape(Object.fromEntries(common), path, commonShape, looking, looking.subject)
}

function kindsOf(kind: PropertyKind): PropertyKinds {
  const found = typeof kind === 'function' ? kind() : kind
  return typeof found === 'object' && 'members' in found ? found.members : new Map()
}

const returnTypes: readonly Returns[] = ['string', 'number', 'boolean', 'array', 'object', 'any', 'void']

function functionsOf(
  catalog: A2uiCatalog,
  compiler: SchemaCompiler,
  refuse: Refuse,
): ReadonlyMap<string, FunctionRules> {
  const { functions = {} } = catalog
  if (Array.isArray(functions)) {
    return new Map(functions.map((given, index) => listedFunction(given, `/functions/${index}`, compiler, refuse)))
  }
  return new Map(
    membersOf(catalog, 'functions', refuse).map(([name, schema]) => {
      const place = `/functions/${escapeSegment(name)}`
      const basic = basicName(schema, 'functions')
      return [
        name,
        basic === undefined ? calledFunction(schema, place, compiler, refuse) : basicFunction(basic, place, refuse),
      ]
    }),
  )
}

function basicFunction(name: string, place: string, refuse: Refuse): FunctionRules {
  return basicFunctions.get(name) ?? refuse(`${place}/$ref`, `names ${quoted(name)}, which the Basic Catalog lacks.`)
}

/** A function as the list of A2UI's capabilities has it. */
function listedFunction(
  given: unknown,
  place: string,
  compiler: SchemaCompiler,
  refuse: Refuse,
): [string, FunctionRules] {
  const { name, parameters, returnType } = isPlainObject(given) ? given : refuse(place, 'must be an object.')
  if (typeof name !== 'string') return refuse(`${place}/name`, 'must be a string.')
  const args = compiler.compile(parameters ?? true, `${place}/parameters`)
  return [name, { returns: returnsOf(returnType, `${place}/returnType`, refuse), args: args.check }]
}

/** A function as a published catalog has it: the schema of its calls. */
function calledFunction(schema: unknown, place: string, compiler: SchemaCompiler, refuse: Refuse): FunctionRules {
  const properties = isPlainObject(schema) ? schema.properties : undefined
  if (!isPlainObject(properties))
    return refuse(place, 'must be the schema of a call: { properties: { args, returnType } }.')
  const { args, returnType } = properties
  const constant = isPlainObject(returnType) ? returnType.const : undefined
  return {
    returns: returnsOf(constant, `${place}/properties/returnType/const`, refuse),
    args: compiler.compile(args ?? true, `${place}/properties/args`).check,
  }
}

function returnsOf(given: unknown, place: string, refuse: Refuse): Returns {
  if (given === undefined) return 'any'
  return returnTypes.find((type) => type === given) ?? refuse(place, `must be one of: ${returnTypes.join(', ')}.`)
}

/** The theme's schema: of its properties, or of the whole, as a published catalog has it. */
function themeOf(catalog: A2uiCatalog, compiler: SchemaCompiler, refuse: Refuse): Check {
  const { theme, $defs } = catalog
  if (theme !== undefined) {
    if (!isPlainObject(theme)) return refuse('/theme', 'must be an object.')
    return compiler.compile({ type: 'object', properties: theme }, '/theme').check
  }
  const whole = isPlainObject($defs) ? $defs.theme : undefined
  return whole === undefined ? basicRules.theme : withName(compiler.compile(whole, '/$defs/theme').check)
}

/** Agents that pass a surface on give it its author's name, also where the theme of its catalog has no place for one. */
function withName(check: Check): Check {
  return (theme, path, name, looking) => {
    if (!isPlainObject(theme)) return check(theme, path, name, looking)
    const { agentDisplayName, ...rest } = theme
    return check(typeof agentDisplayName === 'string' ? rest : theme, path, name, looking)
  }
}
