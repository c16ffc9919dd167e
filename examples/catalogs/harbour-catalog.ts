import { basicComponents, basicFunctions, type A2uiCatalog } from '@cool-ai/beach-a2ui'

const common = 'https://a2ui.org/specification/v0_9/common_types.json#/$defs'

/** The Basic Catalog, with a map of berths, and a function that writes prices. */
export const harbourCatalog: A2uiCatalog = {
  catalogId: 'https://harbour.example/a2ui/catalog.json',
  components: {
    ...basicComponents,
    BerthMap: {
      type: 'object',
      properties: {
        title: { $ref: `${common}/DynamicString` },
        berths: { type: 'array', items: { $ref: '#/$defs/Berth' }, minItems: 1 },
        chosen: { $ref: `${common}/DynamicString` },
        action: { $ref: `${common}/Action` },
      },
      required: ['title', 'berths'],
      additionalProperties: false,
    },
  },
  functions: {
    ...basicFunctions,
    euros: {
      properties: {
        args: {
          type: 'object',
          properties: { value: { $ref: `${common}/DynamicNumber` } },
          required: ['value'],
          additionalProperties: false,
        },
        returnType: { const: 'string' },
      },
    },
  },
  $defs: {
    Berth: {
      type: 'object',
      properties: { name: { type: 'string' }, price: { type: 'number', minimum: 0 } },
      required: ['name', 'price'],
      additionalProperties: false,
    },
  },
}
