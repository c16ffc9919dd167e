import type { AuthoredCard } from './authored-card.ts'

/** A card with every field that an author can give. */
export const fullCard: AuthoredCard = {
  $schema: 'https://a2a-protocol.org/schema/v1.0/agent-card.json',
  schemaVersion: '1.0',
  id: 'harbour-agent',
  name: 'Harbour',
  displayName: 'Harbour — Berths and Tides',
  description: 'Finds berths and reads tides.',
  provider: { name: 'Harbour Office', url: 'https://harbour.example/' },
  version: '2.3.4-beta.1+build.7',
  capabilities: [
    {
      id: 'berth-search',
      description: 'Finds a free berth.',
      examples: ['a berth for ten metres tonight'],
      requiredScopes: ['berths:read'],
      inputSchema: { $ref: 'https://harbour.example/schemas/berth-input.json' },
      outputSchema: { type: 'object', properties: { berth: { type: 'string' } } },
    },
    { id: 'tides', description: 'Says when it is high water.' },
  ],
  transports: [
    {
      protocol: 'a2a',
      version: '1.0',
      endpoint: 'https://harbour.example/a2a',
      binding: 'JSONRPC',
      tenant: 'north',
      auth: {
        type: 'oauth2',
        header: 'Authorization',
        tokenEndpoint: 'https://login.harbour.example/token',
        scope: 'berths:read tides:read',
        fingerprints: ['ab:cd'],
      },
      requiredScopes: ['tides:read'],
    },
    {
      protocol: 'mcp',
      version: 'stable',
      endpoint: 'stdio://harbour-mcp --quiet',
      transport: 'stdio',
      tool: 'ask_harbour',
    },
  ],
  envelope: {
    parts: ['domain-data', 'response', 'harbour.tide-table'],
    consumes: ['domain-data', 'llm-context'],
    a2uiCatalog: 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json',
    llmContextLanguage: 'en-GB',
  },
  extensions: {
    beach: {
      version: '1.0',
      respondToolSchemaVersion: '1',
      turnStates: ['awaiting', 'complete', 'error'],
      turnBudgetSeconds: 90,
    },
    harbour: { pilots: true },
  },
  contact: { email: 'office@harbour.example', url: 'https://harbour.example/help', phone: '+44 1632 960000' },
  generatedAt: '2026-04-20T09:50:00Z',
}

/** A card with nothing but what is needed. */
export const smallCard: AuthoredCard = {
  schemaVersion: '1.0',
  id: 'small',
  name: 'Small',
  description: 'Says hello.',
  version: '1.0.0',
  capabilities: [],
  transports: [{ protocol: 'a2a', version: '1.0', endpoint: 'https://small.example/a2a' }],
}
