/** What `beach init` can make, and what it is. */
export const templates = {
  minimal: 'an agent with one tool and a test',
  react: 'an agent with one tool and a chat page in React, built by Vite',
  mail: 'an agent that asks for an approval by mail, with a mailbox on this machine',
  'two-agents': 'two agents, one of which asks the other',
  flows: 'an agent of flows: tasks with a user interface of their own',
} as const

export type TemplateName = keyof typeof templates

export function isTemplate(name: string): name is TemplateName {
  return Object.hasOwn(templates, name)
}
