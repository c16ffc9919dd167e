import { isPlainObject, kindOf, own, quoted, type PlainObject } from '../plain.ts'
import { escapeSegment, segmentsOf } from '../pointer.ts'
import type { Check } from '../validate/check.ts'
import type { SchemaRule } from './common-types.ts'
import { foreignMembers, foreignRule } from './foreign-schemas.ts'
import { joinedKinds } from './property-kind.ts'
import { choiceOf, conditionOf, notOf } from './schema-forms.ts'
import { annotations, called, isWord, plainKeywords } from './schema-keywords.ts'

/** Says where in a catalog something is wrong, and what. */
export type Refuse = (place: string, problem: string) => never

/** Keywords that hold other schemas. */
const compound = [
  '$ref',
  'properties',
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
] as const

const checked: ReadonlySet<string> = new Set([...plainKeywords.keys(), ...compound])
const anything: SchemaRule = { check: () => {}, kind: 'static' }

const nothing: Check = (_, path, name, looking) => {
  looking.problems.add(path, `${called(name, looking)} is not allowed here.`, 'Leave it out.')
}

/** Properties that a schema does not name: those that are known all the same, and what others must be, if there may be any. */
interface OtherProperties {
  readonly known: ReadonlySet<string>
  readonly rule: SchemaRule | undefined
}

/**
 * Turns the schemas of a catalog into checks. A schema that cannot be enforced as its author meant it is refused: a
 * keyword that is passed over would let through what the author has excluded.
 */
export class SchemaCompiler {
  readonly #document: PlainObject
  readonly #refuse: Refuse
  readonly #byPointer = new Map<string, SchemaRule>()

  constructor(document: PlainObject, refuse: Refuse) {
    this.#document = document
    this.#refuse = refuse
  }

  /** The rule of the schema at a place; `implied` are properties that it need not name. */
  compile(schema: unknown, place: string, implied: readonly string[] = []): SchemaRule {
    if (schema === true) return anything
    if (schema === false) return { check: nothing, kind: 'static' }
    if (!isPlainObject(schema)) return this.#refuse(place, `is ${kindOf(schema)}, and no schema.`)
    const unknown = Object.keys(schema).find((key) => !annotations.has(key) && !checked.has(key))
    if (unknown !== undefined) {
      this.#refuse(place, `has ${quoted(unknown)}, which is not checked here. Known are: ${[...checked].join(', ')}.`)
    }
    const rules = [
      ...this.#plain(schema, place),
      ...this.#reference(schema, place),
      ...this.#object(schema, place, implied),
      ...this.#items(schema, place),
      ...this.#several(schema, place),
    ]
    const kind = isWord(schema) ? 'word' : joinedKinds(rules.map((rule) => rule.kind))
    return { check: (...given) => rules.forEach(({ check }) => check(...given)), kind }
  }

  #plain(schema: PlainObject, place: string): SchemaRule[] {
    return [...plainKeywords].flatMap(([keyword, make]) => {
      if (!Object.hasOwn(schema, keyword)) return []
      const check = make(schema[keyword])
      if (typeof check === 'string') this.#refuse(`${place}/${keyword}`, check)
      return [{ check, kind: 'static' }]
    })
  }

  #reference({ $ref }: PlainObject, place: string): SchemaRule[] {
    if ($ref === undefined) return []
    if (typeof $ref !== 'string') return this.#refuse(`${place}/$ref`, 'must be a string.')
    const [document = '', pointer = ''] = $ref.split('#')
    if (this.#isHere(document)) return [this.#local(pointer, place)]
    const known = foreignRule(document, pointer)
    if (known !== undefined) return [known]
    const what = "Known are A2UI's common types, the components of the Basic Catalog, and what is in this catalog."
    return this.#refuse(`${place}/$ref`, `refers to ${quoted($ref)}. ${what}`)
  }

  #isHere(document: string): boolean {
    return document === '' || document === own(this.#document, '$id')
  }

  /** A schema in the catalog, which may refer to itself. */
  #local(pointer: string, place: string): SchemaRule {
    const known = this.#byPointer.get(pointer)
    if (known !== undefined) return known
    const schema = this.#at(pointer, place)
    let made: SchemaRule | undefined
    this.#byPointer.set(pointer, {
      check: (...given) => made?.check(...given),
      kind: () => made?.kind ?? 'static',
    })
    made = this.compile(schema, pointer)
    this.#byPointer.set(pointer, made)
    return made
  }

  #at(pointer: string, place: string): unknown {
    let found: unknown = this.#document
    for (const segment of segmentsOf(pointer)) found = isPlainObject(found) ? own(found, segment) : undefined
    if (!pointer.startsWith('/') || found === undefined) {
      this.#refuse(`${place}/$ref`, `refers to ${quoted(`#${pointer}`)}, which is not there.`)
    }
    return found
  }

  #object(schema: PlainObject, place: string, implied: readonly string[]): SchemaRule[] {
    const properties = schema.properties ?? {}
    if (!isPlainObject(properties)) return this.#refuse(`${place}/properties`, 'must be an object.')
    const rules = new Map(
      Object.entries(properties).map(([name, property]) => {
        return [name, this.compile(property, `${place}/properties/${escapeSegment(name)}`)]
      }),
    )
    const others = this.#others(schema, place, [...rules.keys(), ...implied])
    if (rules.size === 0 && others === undefined) return []
    const check: Check = (value, path, name, looking) => {
      if (!isPlainObject(value)) return
      for (const [key, member] of Object.entries(value)) {
        if (looking.problems.isFull) return
        if (member === undefined) continue
        const at = `${path}/${escapeSegment(key)}`
        const rule = rules.get(key) ?? (others?.known.has(key) === false ? others.rule : anything)
        if (rule !== undefined) rule.check(member, at, key, looking)
        else {
          const known = `Leave it out. Known are: ${[...(others?.known ?? [])].join(', ')}.`
          looking.problems.add(at, `${called(name, looking)} has no property ${quoted(key)}.`, known)
        }
      }
    }
    return [{ check, kind: { members: new Map([...rules].map(([name, { kind }]) => [name, kind])) } }]
  }

  #others(schema: PlainObject, place: string, named: readonly string[]): OtherProperties | undefined {
    const keyword = schema.additionalProperties === undefined ? 'unevaluatedProperties' : 'additionalProperties'
    const given = schema[keyword]
    if (given === undefined || given === true) return undefined
    const known = new Set([...named, ...(keyword === 'unevaluatedProperties' ? this.#names(schema) : [])])
    return { known, rule: given === false ? undefined : this.compile(given, `${place}/${keyword}`) }
  }

  /** The properties that a schema speaks of, itself and by what it consists of. */
  #names(schema: unknown, seen: readonly unknown[] = []): string[] {
    if (!isPlainObject(schema) || seen.includes(schema)) return []
    const { properties, allOf, anyOf, oneOf, then, else: otherwise, $ref } = schema
    const parts = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))
    const within = [...parts, then, otherwise].flatMap((part) => this.#names(part, [...seen, schema]))
    const named = isPlainObject(properties) ? Object.keys(properties) : []
    if (typeof $ref !== 'string') return [...named, ...within]
    const [document = '', pointer = ''] = $ref.split('#')
    const referred = this.#isHere(document)
      ? this.#names(this.#at(pointer, ''), [...seen, schema])
      : foreignMembers(document, pointer)
    return [...named, ...within, ...referred]
  }

  #items({ items }: PlainObject, place: string): SchemaRule[] {
    if (items === undefined) return []
    const rule = this.compile(items, `${place}/items`)
    const check: Check = (value, path, name, looking) => {
      if (!Array.isArray(value)) return
      for (const [index, item] of value.entries()) {
        if (looking.problems.isFull) return
        rule.check(item, `${path}/${index}`, `${name}[${index}]`, looking)
      }
    }
    return [{ check, kind: { items: rule.kind } }]
  }

  /** What a schema makes of several others. */
  #several(schema: PlainObject, place: string): SchemaRule[] {
    const rules = [...this.#listed(schema.allOf, `${place}/allOf`)]
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const forms = this.#listed(schema[keyword], `${place}/${keyword}`)
      if (forms.length > 0) rules.push(choiceOf(keyword, forms, schema[keyword] as readonly unknown[]))
    }
    if (schema.not !== undefined) rules.push(notOf(this.compile(schema.not, `${place}/not`)))
    if (schema.if !== undefined) {
      const part = (key: string) => this.compile(schema[key] ?? true, `${place}/${key}`)
      rules.push(conditionOf(part('if'), part('then'), part('else')))
    }
    return rules
  }

  #listed(schemas: unknown, place: string): SchemaRule[] {
    if (schemas === undefined) return []
    if (!Array.isArray(schemas) || schemas.length === 0) return this.#refuse(place, 'must be a list of schemas.')
    return schemas.map((schema, index) => this.compile(schema, `${place}/${index}`))
  }
}
