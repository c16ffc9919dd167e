import type { BeachOptions } from '@cool-ai/beach'

/** What the organiser says of itself to other agents. */
export const organiserCard: BeachOptions['agent'] = {
  schemaVersion: '1.0',
  id: 'example-organiser',
  name: 'Organiser',
  description: 'Baxter keeps your weeks in order, and asks other agents for what belongs in them.',
  version: '0.1.0',
  capabilities: [
    {
      id: 'week',
      description: 'Shows, adds and removes what is planned.',
      examples: ['what is in my week', 'add dentist on Thursday at 10:00'],
    },
    {
      id: 'travel',
      description: 'Asks ExampleTravel, another agent, and puts what it finds into the plan.',
      examples: ['ask travel for flights to Corfu in August and put them in my week'],
    },
  ],
  envelope: { parts: ['response', 'domain-data'], consumes: ['domain-data', 'llm-context', 'a2ui-surface'] },
}
