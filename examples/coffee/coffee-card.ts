import type { BeachOptions } from '@cool-ai/beach'

/** What Example Coffee says of itself to other agents. */
export const coffeeCard: BeachOptions['agent'] = {
  schemaVersion: '1.0',
  id: 'example-coffee',
  name: 'Example Coffee',
  displayName: 'Example Coffee — Order ahead',
  description: 'Takes orders for coffee, tea and things to eat, and says when they are ready to be picked up.',
  version: '0.1.0',
  capabilities: [
    { id: 'order', description: 'Places an order for pick-up.', examples: ['order my usual'] },
    { id: 'menu', description: 'Shows the menu.', examples: ['show me the menu'] },
    { id: 'track', description: 'Tells the status of an order.', examples: ['where is my order?'] },
    { id: 'cancel', description: 'Cancels an order.', examples: ['cancel my order'] },
    { id: 'payment', description: 'Changes the card that pays.', examples: ['change my card'] },
  ],
  envelope: { parts: ['response', 'clarify'], consumes: [], llmContextLanguage: 'en' },
  extensions: {
    beach: {
      version: '1.0',
      respondToolSchemaVersion: '1',
      turnStates: ['awaiting', 'complete', 'clarifying', 'error', 'suspended', 'delegated', 'passed'],
    },
  },
}
