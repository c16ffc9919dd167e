import { BASIC_COMPONENTS } from '@a2ui/web_core/v0_9'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { alignments, buttonVariants, iconNames, justifications, textFieldVariants, textVariants } from '../catalog.ts'
import type { Component } from '../messages.ts'
import { escapeSegment, isAllowedName } from '../pointer.ts'
import { surfaceToText } from '../readable/surface-to-text.ts'
import { validateA2ui } from '../validate/validate-a2ui.ts'
import type { UiNode } from './node.ts'
import { ui } from './ui.ts'
import type { BooleanValue, NumberValue, TextValue } from './values.ts'

const name = fc.string({ minLength: 1, maxLength: 8 }).filter(isAllowedName)
const binding = fc.oneof(
  fc.array(name, { maxLength: 3 }).map((names) => ui.bind(`/${names.map(escapeSegment).join('/')}`)),
  fc
    .stringMatching(/^[a-z]\w{0,8}$/)
    .filter(isAllowedName)
    .map((path) => ui.bind(path)),
)
const number: fc.Arbitrary<NumberValue> = fc.oneof(
  // Minus zero is a number that JSON does not have.
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  binding,
)
const text: fc.Arbitrary<TextValue> = fc.oneof(
  fc.string(),
  binding,
  number.map((value) => ui.formatNumber(value, { decimals: 2 })),
  fc.tuple(number, fc.string()).map(([value, currency]) => ui.formatCurrency(value, currency)),
  fc.tuple(fc.string(), fc.string()).map(([value, format]) => ui.formatDate(value, format)),
  number.map((value) => ui.pluralize(value, { one: 'one', other: ui.formatString('${/n} of them') })),
)
const condition: fc.Arbitrary<BooleanValue> = fc.oneof(
  fc.boolean(),
  text.map((value) => ui.required(value)),
  fc.tuple(fc.string(), fc.nat()).map(([value, min]) => ui.length(value, { min })),
  number.map((value) => ui.and(ui.numeric(value, { max: 1 }), ui.not(ui.or(ui.email('x'), true)))),
)
const checks = fc.array(
  fc.tuple(condition, fc.string()).map(([rule, message]) => ui.check(rule, message)),
  { maxLength: 2 },
)
const common = fc.record(
  { weight: fc.nat(), accessibility: fc.record({ label: text }, { requiredKeys: [] }) },
  { requiredKeys: [] },
)
const action = fc.oneof(
  fc
    .tuple(fc.string(), fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.boolean(), binding, fc.array(fc.string()))))
    .map(([event, context]) => ui.action(event, context)),
  fc.webUrl().map((url) => ui.openUrl(url)),
)

const { tree } = fc.letrec<{ tree: UiNode }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'tree' },
    fc
      .tuple(text, common, fc.constantFrom(...textVariants))
      .map(([content, options, variant]) => ui.text(content, { ...options, variant })),
    fc.constantFrom(...iconNames).map((icon) => ui.icon(icon)),
    fc.tuple(text, text).map(([url, description]) => ui.image(url, { description })),
    fc
      .tuple(text, checks, fc.constantFrom(...textFieldVariants))
      .map(([label, rules, variant]) => ui.textField({ label, checks: rules, variant })),
    condition.map((value) => ui.checkBox({ label: 'x', value })),
    number.map((value) => ui.slider({ value, max: 5 })),
    fc
      .array(fc.string())
      .map((value) => ui.choicePicker({ options: value.map((one) => ({ label: one, value: one })), value })),
    fc.array(tie('tree'), { maxLength: 4 }).map((children) => ui.column(...children)),
    fc
      .tuple(
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.constantFrom(...justifications),
        fc.constantFrom(...alignments),
      )
      .map(([children, justify, align]) => ui.row({ justify, align }, ...children)),
    tie('tree').map((child) => ui.card(child)),
    tie('tree').map((item) => ui.list(ui.each('/items', () => item))),
    fc
      .tuple(tie('tree'), action, fc.constantFrom(...buttonVariants))
      .map(([child, act, variant]) => ui.button({ child, action: act, variant })),
    fc.tuple(text, tie('tree')).map(([title, child]) => ui.tabs([{ title, child }])),
    fc.tuple(tie('tree'), tie('tree')).map(([trigger, content]) => ui.modal({ trigger, content })),
  ),
}))

const schemas = new Map(BASIC_COMPONENTS.map(({ name: type, schema }) => [type, schema]))

/** By the reference implementation's own schema. */
function isRight({ id: _, component, ...properties }: Component): boolean {
  return schemas.get(component)?.safeParse(properties).success === true
}

test('whatever is built is valid, here and for the reference implementation', () => {
  fc.assert(
    fc.property(tree, fc.jsonValue(), (root, items) => {
      const messages = ui.surface({ surfaceId: 's', data: { items }, root })
      expect(validateA2ui(messages).problems).toEqual([])
      const components = messages.flatMap((message) =>
        'updateComponents' in message ? message.updateComponents.components : [],
      )
      expect(components.filter((component) => !isRight(component))).toEqual([])
      expect(JSON.parse(JSON.stringify(messages))).toEqual(messages)
      expect(typeof surfaceToText(messages)).toBe('string')
    }),
    { numRuns: 300 },
  )
})

test('the same code leads to the same messages', () => {
  fc.assert(
    fc.property(tree, (root) => {
      expect(root.toSurface('s')).toEqual(root.toSurface('s'))
    }),
    { numRuns: 50 },
  )
})
