import { basicComponents, basicFunctions, type A2uiCatalog } from '@cool-ai/beach-a2ui'
import type { ComponentView, RendererCatalog } from '@cool-ai/beach-a2ui/renderer'
import { html } from 'lit'

const common = (name: string) => ({ $ref: `https://a2ui.org/specification/v0_9/common_types.json#/$defs/${name}` })

/** A catalog of a page's own: a map of berths, tabs that refer to components, and one that fails. */
const harbourCatalog: A2uiCatalog = {
  catalogId: 'https://harbour.example/catalog.json',
  components: {
    ...basicComponents,
    BerthMap: {
      allOf: [common('Checkable')],
      properties: {
        title: common('DynamicString'),
        berths: {
          type: 'array',
          items: { properties: { name: common('DynamicString'), detail: common('ComponentId') } },
        },
        chosen: common('DynamicString'),
        action: common('Action'),
        link: common('Action'),
      },
      required: ['berths'],
      unevaluatedProperties: false,
    },
    Pier: { properties: { boats: common('ChildList') }, required: ['boats'], additionalProperties: false },
    Broken: { properties: {} },
  },
  functions: {
    ...basicFunctions,
    shout: {
      properties: { args: { properties: { value: common('DynamicString') } }, returnType: { const: 'string' } },
    },
  },
}

interface Berth {
  readonly name: string
  readonly detail?: string
}

function berthMap({ props, isDisabled, problems, child, set, act, local, change, id }: ComponentView) {
  return html`<section aria-labelledby=${id('title')} data-disabled=${isDisabled}>
    <b id=${id('title')}>${props.title}</b>
    <button @click=${() => change({ opened: Number(local.opened ?? 0) + 1 })}>Opened ${local.opened ?? 0}</button>
    ${(props.berths as Berth[]).map(
      ({ name, detail }) =>
        html`<button class="berth" @click=${() => set('chosen', name)}>Berth ${name}</button>${child(detail)}`,
    )}
    <i>Chosen: ${props.chosen}</i>
    <button @click=${() => act('action')}>Book</button><button @click=${() => act('link')}>Read</button>
    ${problems.map((problem) => html`<em>${problem}</em>`)}
  </section>`
}

export const harbour: RendererCatalog = {
  catalog: harbourCatalog,
  components: {
    BerthMap: berthMap,
    Pier: ({ props, children }) =>
      html`<ul>
        ${children(props.boats, (boat) => html`<li>${boat}</li>`)}
      </ul>`,
    Broken: () => {
      throw new Error('The tide is out.')
    },
  },
  functions: { shout: ({ value }) => String(value).toUpperCase() },
  styles: '.berth { color: rgb(1, 2, 3); }',
}

/** Catalogs that no renderer can be made with. */
export const unusable: Readonly<Record<string, readonly RendererCatalog[]>> = {
  incomplete: [{ ...harbour, components: {} }],
  'without a function': [{ ...harbour, functions: {} }],
  'with a component too many': [{ ...harbour, components: { ...harbour.components, Ship: () => '' } }],
  twice: [harbour, { ...harbour, catalog: { ...harbourCatalog } }],
}
