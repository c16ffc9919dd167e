import type { BeachOptions } from '@cool-ai/beach'

/** What ExampleTravel says of itself to other agents. */
export const travelCard: BeachOptions['agent'] = {
  schemaVersion: '1.0',
  id: 'example-travel-agent',
  name: 'ExampleTravel',
  description:
    'Sally plans holidays: she searches flights, hotels and cruises, researches destinations, puts trips together and books them.',
  version: '0.1.0',
  capabilities: [
    {
      id: 'flight-search',
      description: 'Searches flights by origin, destination, day and number of passengers.',
      examples: ['find me flights to Corfu in August', 'cheapest direct to Rome from Gatwick'],
    },
    {
      id: 'hotel-search',
      description: 'Searches hotels by destination, days and number of guests.',
      examples: ['hotels in Lisbon'],
    },
    {
      id: 'cruise-search',
      description: 'Searches cruises by region and day.',
      examples: ['cruises in the Adriatic'],
    },
    {
      id: 'destination-research',
      description: 'Tells about a destination: culture, logistics, activities and a sample itinerary, with sources.',
      examples: ['research Corfu'],
    },
    {
      id: 'package-assembly',
      description: 'Puts flights, hotels and activities into one basket with a total.',
      examples: ['add BA 2043'],
    },
    { id: 'booking', description: 'Books what is in the basket, after an approval.', examples: ['book it'] },
  ],
  envelope: {
    parts: ['response', 'domain-data', 'llm-context', 'a2ui-surface', 'artifact', 'progress', 'approval-request'],
    consumes: ['domain-data'],
    llmContextLanguage: 'en',
  },
  extensions: {
    beach: {
      version: '1.0',
      respondToolSchemaVersion: '1',
      turnStates: ['awaiting', 'complete', 'clarifying', 'error', 'suspended', 'delegated', 'passed'],
    },
  },
}
