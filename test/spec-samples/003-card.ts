/** The card of document 003, "Schema", as it stands. */
export const sample = {
  $schema: 'https://a2a-protocol.org/schema/v1.0/agent-card.json',
  schemaVersion: '1.0',
  id: 'example-travel-agent',
  name: 'ExampleTravel',
  displayName: 'ExampleTravel — Holiday Planner',
  description:
    'Plans holidays, searches flights, hotels, cruises, and assembles packages. Produces structured data with analysis and visual surfaces.',
  provider: {
    name: 'Example Provider',
    url: 'https://example.com/',
  },
  version: '1.0.0',
  capabilities: [
    {
      id: 'flight-search',
      description: 'Search scheduled and charter flights by origin, destination, dates, and party composition.',
      examples: ['find me flights to Corfu in August', 'cheapest direct to Rome from Gatwick'],
      requiredScopes: [],
    },
    {
      id: 'hotel-search',
      description: 'Search hotels by destination, dates, and party composition.',
      requiredScopes: [],
    },
    {
      id: 'cruise-search',
      description: 'Search cruises by region, ports, cruise type, and dates.',
      requiredScopes: [],
    },
    {
      id: 'destination-research',
      description: 'Produce narrative research on a destination: culture, logistics, activities, sample itineraries.',
      requiredScopes: [],
    },
    {
      id: 'package-assembly',
      description: 'Combine flights, hotels, and activities into a single-price package with basket management.',
      requiredScopes: [],
    },
    {
      id: 'booking',
      description: 'Commit a booking against a selected package. Requires approval.',
      requiredScopes: ['booking:write'],
    },
  ],
  transports: [
    {
      protocol: 'a2a',
      version: '1.0',
      endpoint: 'https://example.com/travel/a2a/messages',
      auth: {
        type: 'api-key',
        header: 'X-Beach-Key',
      },
      requiredScopes: [],
    },
    {
      protocol: 'mcp',
      version: 'stable',
      endpoint: 'https://example.com/travel/mcp',
      transport: 'http',
      tool: 'ask_example_travel',
      requiredScopes: [],
    },
  ],
  envelope: {
    parts: [
      'domain-data',
      'llm-context',
      'a2ui-surface',
      'response',
      'artifact',
      'progress',
      'approval-request',
      'approval-response',
    ],
    consumes: ['domain-data', 'a2ui-surface'],
    a2uiCatalog: 'https://a2ui.org/specification/v0_9/basic_catalog.json',
    llmContextLanguage: 'en',
  },
  extensions: {
    beach: {
      version: '1.0',
      respondToolSchemaVersion: '1',
      turnStates: ['awaiting', 'complete', 'clarifying', 'error', 'suspended', 'delegated', 'passed'],
    },
  },
  contact: {
    email: 'support@example.com',
  },
  generatedAt: '2026-04-20T09:50:00Z',
}
