import { isPlainObject } from '../plain.ts'
import { addWrong, checkShape, objectOf, type Check } from '../validate/check.ts'
import { accessibility, child, children } from '../validate/components.ts'
import {
  action,
  bindingShape,
  checkCall,
  checkRule,
  checkRules,
  dynamicBoolean,
  dynamicNumber,
  dynamicText,
  dynamicTexts,
  dynamicValue,
} from '../validate/values.ts'
import type { PropertyKind } from './property-kind.ts'

/** What a schema says of a value: how it is checked, and what it is for. */
export interface SchemaRule {
  readonly check: Check
  readonly kind: PropertyKind
}

const nothing: Check = () => {}

const binding: Check = (value, path, name, looking) => {
  if (isPlainObject(value)) return checkShape(value, path, bindingShape, looking, `The binding of '${name}'`)
  addWrong(value, path, name, looking, `'${name}' must be {"path": "/…"}.`)
}

const call: Check = (value, path, name, looking) => {
  if (isPlainObject(value)) return checkCall(value, path, looking)
  addWrong(value, path, name, looking, `'${name}' must be {"call": "…", "args": {…}}.`)
}

const checkable: Check = (value, path, _, looking) => {
  if (isPlainObject(value) && Object.hasOwn(value, 'checks'))
    checkRules(value.checks, `${path}/checks`, 'checks', looking)
}

const spoken: PropertyKind = {
  members: new Map<string, PropertyKind>([
    ['label', 'dynamic'],
    ['description', 'dynamic'],
  ]),
}

/** The types that A2UI defines for all catalogs (`common_types.json`). What every component has is checked for each. */
export const commonTypes: ReadonlyMap<string, SchemaRule> = new Map<string, SchemaRule>([
  ['ComponentId', { check: child, kind: 'child' }],
  ['ChildList', { check: children, kind: 'children' }],
  ['DynamicString', { check: dynamicText, kind: 'dynamic' }],
  ['DynamicNumber', { check: dynamicNumber, kind: 'dynamic' }],
  ['DynamicBoolean', { check: dynamicBoolean, kind: 'dynamic' }],
  ['DynamicStringList', { check: dynamicTexts, kind: 'dynamic' }],
  ['DynamicValue', { check: dynamicValue, kind: 'dynamic' }],
  ['DataBinding', { check: binding, kind: 'dynamic' }],
  ['FunctionCall', { check: call, kind: 'dynamic' }],
  ['Action', { check: action, kind: 'action' }],
  ['CheckRule', { check: objectOf(checkRule, 'A check'), kind: 'static' }],
  ['Checkable', { check: checkable, kind: { members: new Map([['checks', 'checks']]) } }],
  ['AccessibilityAttributes', { check: accessibility, kind: spoken }],
  ['ComponentCommon', { check: nothing, kind: 'static' }],
])

/** The properties that these types bring to an object. */
export const commonMembers: ReadonlyMap<string, readonly string[]> = new Map([
  ['ComponentCommon', ['id', 'accessibility']],
  ['Checkable', ['checks']],
])
