import type { Command } from 'commander'

/** One command of `beach`: what the list says of it, and the module that has its arguments, options and work. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<{ readonly configure: (command: Command) => void }>
}

/** All commands, in the order of the help. A module is loaded only when its command is used. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'make a project from a template',
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'start',
    summary: 'start the agent of beach.config.ts',
    load: () => import('./commands/start.ts'),
  },
  {
    name: 'dev',
    summary: 'start the agent, and again whenever a file changes',
    load: () => import('./commands/dev.ts'),
  },
  {
    name: 'call',
    summary: 'say something to an agent, by A2A or MCP',
    load: () => import('./commands/call.ts'),
  },
  {
    name: 'card',
    summary: 'build, validate or fetch an Agent Card',
    load: () => import('./commands/card.ts'),
  },
  {
    name: 'sessions',
    summary: 'list and show sessions',
    load: () => import('./commands/sessions.ts'),
  },
  {
    name: 'approvals',
    summary: 'list and decide what waits for a decision',
    load: () => import('./commands/approvals.ts'),
  },
  {
    name: 'deliveries',
    summary: 'list and retry what could not be sent',
    load: () => import('./commands/deliveries.ts'),
  },
  {
    name: 'revoke',
    summary: 'take tokens back: of a session, a principal, or one login',
    load: () => import('./commands/revoke.ts'),
  },
  {
    name: 'audit',
    summary: 'verify and export the record of who saw, decided, changed and erased',
    load: () => import('./commands/audit.ts'),
  },
  {
    name: 'mcp',
    summary: 'serve the agent by MCP on standard input and output',
    load: () => import('./commands/mcp.ts'),
  },
  {
    name: 'doctor',
    summary: 'check what an agent needs, and say what to do',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'eval',
    summary: 'run evaluations of the agent, and compare models or instructions',
    load: () => import('./commands/eval.ts'),
  },
  {
    name: 'export',
    summary: 'write everything that must not be lost as lines of JSON',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'import',
    summary: 'write an export into an empty data folder or database',
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'backup',
    summary: 'write a dated, verified export into a folder, and keep the newest ones',
    load: () => import('./commands/backup.ts'),
  },
  {
    name: 'erase',
    summary: 'erase a session, or everything of a person, for good',
    load: () => import('./commands/erase.ts'),
  },
  {
    name: 'replay',
    summary: 'run a stored session again and say what is different',
    load: () => import('./commands/replay.ts'),
  },
  {
    name: 'data',
    summary: 'check and rescue a data folder, bring the tables of a database up to date',
    load: () => import('./commands/data.ts'),
  },
  {
    name: 'completion',
    summary: 'print what completes commands in bash, zsh or fish',
    load: () => import('./commands/completion.ts'),
  },
]
