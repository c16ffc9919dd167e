import {
  alignments,
  axes,
  buttonVariants,
  choiceDisplayStyles,
  choiceVariants,
  directions,
  iconNames,
  imageFits,
  imageVariants,
  justifications,
  textFieldVariants,
  textVariants,
} from '../catalog.ts'
import { referencesOf } from '../model/surfaces.ts'
import { isPlainObject, kindOf, own, quoted, type PlainObject } from '../plain.ts'
import type { CatalogRules, ComponentRules } from './catalog-rules.ts'
import {
  addWrong,
  checkShape,
  isBoolean,
  isNumber,
  isPattern,
  isText,
  listOf,
  objectOf,
  wordOf,
  type Check,
  type Shape,
  isIsoTime,
} from './check.ts'
import type { Problems } from './problems.ts'
import { action, checkPath, checkRules, dynamicBoolean, dynamicNumber, dynamicText, dynamicTexts } from './values.ts'

export const child: Check = (value, path, name, looking) => {
  if (typeof value === 'string') return
  const remedy = isPlainObject(value)
    ? 'Components are not written inside one another: put it into the list with an id, and give that id here.'
    : `'${name}' must be the id of a component.`
  addWrong(value, path, name, looking, remedy)
}

const templateShape: Shape = { required: ['componentId', 'path'], properties: { componentId: child, path: checkPath } }
const childIds = listOf(child, 'an array of ids, or {"componentId": "…", "path": "/…"}')

export const children: Check = (value, path, name, looking) => {
  if (!isPlainObject(value)) return childIds(value, path, name, looking)
  checkShape(value, path, templateShape, looking, `The template of ${looking.subject}`)
}

const isIcon = wordOf(iconNames)

const icon: Check = (value, path, name, looking) => {
  if (!isPlainObject(value)) return isIcon(value, path, name, looking)
  const shape = Object.hasOwn(value, 'svgPath')
    ? { required: ['svgPath'], properties: { svgPath: isText } }
    : { required: ['path'], properties: { path: checkPath } }
  checkShape(value, path, shape, looking, `The name of ${looking.subject}`)
}

const moment: Check = (value, path, name, looking) => {
  if (typeof value !== 'string') return dynamicText(value, path, name, looking)
  if (!isIsoTime(value)) addWrong(value, path, name, looking, "Write a date as '2026-04-20', a time as '09:30'.")
}

/** Not an exact shape: further hints for assistive technologies are allowed. */
export const accessibility: Check = (value, path, name, looking) => {
  if (!isPlainObject(value)) return objectOf({ required: [], properties: {} }, name)(value, path, name, looking)
  for (const key of ['label', 'description']) {
    const text = own(value, key)
    if (text !== undefined) dynamicText(text, `${path}/${key}`, key, looking)
  }
}

const tab: Shape = { required: ['title', 'child'], properties: { title: dynamicText, child } }
const option: Shape = { required: ['label', 'value'], properties: { label: dynamicText, value: isText } }
const justify = wordOf(justifications)
const align = wordOf(alignments)

/** The components of the Basic Catalog, without what all of them have. */
const own18: Readonly<Record<string, Shape>> = {
  Text: { required: ['text'], properties: { text: dynamicText, variant: wordOf(textVariants) } },
  Image: {
    required: ['url'],
    properties: {
      url: dynamicText,
      description: dynamicText,
      fit: wordOf(imageFits),
      variant: wordOf(imageVariants),
    },
  },
  Icon: { required: ['name'], properties: { name: icon } },
  Video: { required: ['url'], properties: { url: dynamicText } },
  AudioPlayer: { required: ['url'], properties: { url: dynamicText, description: dynamicText } },
  Row: { required: ['children'], properties: { children, justify, align } },
  Column: { required: ['children'], properties: { children, justify, align } },
  List: { required: ['children'], properties: { children, direction: wordOf(directions), align } },
  Card: { required: ['child'], properties: { child } },
  Tabs: { required: ['tabs'], properties: { tabs: listOf(objectOf(tab, 'A tab'), 'an array of tabs', 1) } },
  Modal: { required: ['trigger', 'content'], properties: { trigger: child, content: child } },
  Divider: { required: [], properties: { axis: wordOf(axes) } },
  Button: {
    required: ['child', 'action'],
    properties: { child, action, variant: wordOf(buttonVariants), checks: checkRules },
  },
  TextField: {
    required: ['label'],
    properties: {
      label: dynamicText,
      value: dynamicText,
      variant: wordOf(textFieldVariants),
      validationRegexp: isPattern,
      checks: checkRules,
    },
  },
  CheckBox: {
    required: ['label', 'value'],
    properties: { label: dynamicText, value: dynamicBoolean, checks: checkRules },
  },
  ChoicePicker: {
    required: ['options', 'value'],
    properties: {
      label: dynamicText,
      options: listOf(objectOf(option, 'An option'), 'an array of options'),
      value: dynamicTexts,
      variant: wordOf(choiceVariants),
      displayStyle: wordOf(choiceDisplayStyles),
      filterable: isBoolean,
      checks: checkRules,
    },
  },
  Slider: {
    required: ['value', 'max'],
    properties: { label: dynamicText, value: dynamicNumber, min: isNumber, max: isNumber, checks: checkRules },
  },
  DateTimeInput: {
    required: ['value'],
    properties: {
      label: dynamicText,
      value: dynamicText,
      enableDate: isBoolean,
      enableTime: isBoolean,
      min: moment,
      max: moment,
      checks: checkRules,
    },
  },
}

/** What every component may have. */
export const commonProperties: Readonly<Record<string, Check>> = {
  id: isText,
  component: isText,
  accessibility,
  weight: isNumber,
}

/** The components of the Basic Catalog. */
export const components: ReadonlyMap<string, ComponentRules> = new Map(
  Object.entries(own18).map(([name, { required, properties }]) => {
    const shape = {
      required: ['id', 'component', ...required],
      properties: { ...commonProperties, ...properties },
    }
    const check: ComponentRules['check'] = (given, path, looking) =>
      checkShape(given, path, shape, looking, looking.subject)
    return [name, { check, references: referencesOf, basic: name }]
  }),
)

export const componentNames: readonly string[] = [...components.keys()]

export function checkComponent(given: PlainObject, path: string, problems: Problems, catalog: CatalogRules): void {
  const id = own(given, 'id')
  const name = own(given, 'component')
  const called = typeof id === 'string' ? quoted(id) : 'without an id'
  const rules = typeof name === 'string' ? catalog.components.get(name) : undefined
  if (rules !== undefined) {
    rules.check(given, path, { problems, subject: `The ${String(name)} ${called}`, calls: 0, catalog })
  } else if (isPlainObject(name)) {
    problems.add(
      `${path}/component`,
      `The component ${called} has an object as 'component'.`,
      `That is the form of A2UI 0.8. Write the name, such as "Text", and its properties next to it.`,
    )
  } else {
    const what = typeof name === 'string' ? `is of the type ${quoted(name)}` : `has ${kindOf(name)} as 'component'`
    const known = `Use one of: ${[...catalog.components.keys()].join(', ')}.`
    problems.add(`${path}/component`, `The component ${called} ${what}, which ${catalog.name} lacks.`, known)
  }
}
