import { readdirSync, readFileSync } from 'node:fs'
import {
  BASIC_COMPONENTS,
  BASIC_FUNCTIONS,
  Catalog,
  isComponentNode,
  MessageProcessor,
  NodeResolver,
  peekValue,
  type ComponentNode,
} from '@a2ui/web_core/v0_9'
import { describe, expect, test } from 'vitest'
import { basicCatalogId } from '../messages.ts'
import { textOf } from '../model/resolve-value.ts'
import { markdownToText } from './markdown.ts'
import { surfaceToHtml, surfaceToText } from './surface-to-text.ts'

const folder = new URL('../../conformance/examples/', import.meta.url)
const read = (name: string) =>
  (JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as { messages: unknown[] }).messages

const onOneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** What the reference implementation resolves the texts of a surface to. */
function textsOf(messages: unknown[]): string[] {
  process.env.TZ = 'UTC'
  const catalog = new Catalog(basicCatalogId, BASIC_COMPONENTS, BASIC_FUNCTIONS)
  const processor = new MessageProcessor([catalog])
  processor.processMessages(messages as never)
  return [...processor.model.surfacesMap.values()].flatMap((surface) => {
    const root = peekValue(new NodeResolver(surface as never, catalog).rootNode)
    return root === undefined ? [] : textsIn(root)
  })
}

function textsIn(node: ComponentNode): string[] {
  const props = peekValue(node.props)
  const { text } = props as { text?: { value?: unknown } | string }
  const own = node.type === 'Text' ? [textOf(typeof text === 'object' ? text.value : text)] : []
  return [...own, ...nodesIn(Object.values(props)).flatMap((child) => textsIn(child))]
}

function nodesIn(value: unknown): ComponentNode[] {
  if (isComponentNode(value)) return [value]
  if (Array.isArray(value)) return value.flatMap((item) => nodesIn(item))
  return typeof value === 'object' && value !== null && 'child' in value ? nodesIn(value.child) : []
}

describe.each(readdirSync(folder))('%s', (name) => {
  const messages = read(name)

  test('says in words all that the reference implementation shows', () => {
    const text = onOneLine(surfaceToText(messages))
    const texts = textsOf(messages).map((found) => onOneLine(markdownToText(found)))
    expect(texts.length).toBeGreaterThan(0)
    for (const found of texts) expect(text).toContain(found)
    expect(text).not.toMatch(/undefined|\[object|NaN|\$\{/)
  })

  test('has an HTML form with the same words, that runs and loads nothing', () => {
    const html = surfaceToHtml(messages)
    expect(html).toMatch(/^<div class="beach-text" style="[^"]+">.+<\/div>$/s)
    expect(html).not.toMatch(/<(?:script|img|iframe|link|style|form|input|button)|\son\w+=|javascript:/i)
    const words = onOneLine(plain(html))
    for (const found of textsOf(messages)) {
      for (const line of markdownToText(found).split('\n')) {
        const shown = onOneLine(line.replace(/^(?:-|\d+\.) /, '').replace(/ \(https?:.*\)$/, ''))
        expect(words).toContain(shown)
      }
    }
  })
})

/** The words of HTML. */
function plain(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&')
}

test.each([
  [
    '01_flight-status.json',
    'OS 87  Mon, Dec 15\nVienna  →  New York\n---\nDeparts 10:15 AM | Status On Time | Arrives 2:30 PM',
  ],
  [
    '09_login-form.json',
    "Welcome back\nSign in to your account\n\nEmail: ____\nPassword: ____\n[Sign in]\n---\nDon't have an account?  [Sign up]",
  ],
  ['34_child-list-template.json', 'Dynamic Item List\n\n- Apple - Qty: 10\n- Banana - Qty: 5\n- Cherry - Qty: 20'],
  ['36_modal.json', 'Modal Component Sample\n\nOpen Modal:\n  This is the content inside the modal.'],
  [
    '30_live-invitation-builder.json',
    `Invitation Builder

Customize your invitation
Event Name: Summer Gala
Guest of Honor: Alex Johnson
Event Date & Time: 15 July 2025, 19:00
Location: ( ) Grand Ballroom  (x) Sunset Terrace  ( ) Garden Pavillion

Live Preview

[Image]
Summer Gala
Celebrating  Alex Johnson
Tuesday, July 15, 2025 at 7:00 PM
Location: terrace`,
  ],
])('%s reads well', (name, text) => {
  expect(surfaceToText(read(name))).toBe(text)
})
