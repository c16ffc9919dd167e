import { mkdirSync, writeFileSync } from 'node:fs'
import { contenders, type Contender } from '../peers/contenders.ts'
import { barPlot } from './plots.ts'
import type { Figures, Machine, PeersFigures } from './figures.ts'
import { growthPlot, growthSection } from './growth-section.ts'
import { shown } from './plots.ts'
import { Summary } from './summary.ts'

const pace = 2
const together = { people: 32, everyMs: pace }
const alone = { people: 1, everyMs: pace }
const togetherAtOnce = { people: 32, everyMs: 0 }
const aloneAtOnce = { people: 1, everyMs: 0 }
const pictures = 'screenshots'

/** Writes `docs/performance.md` and its plots, all of it from the figures. */
export function writePage(figures: Figures): void {
  const docs = new URL('../../docs/', import.meta.url)
  mkdirSync(new URL(`${pictures}/`, docs), { recursive: true })
  for (const [name, plot] of plotsOf(figures)) writeFileSync(new URL(`${pictures}/${name}.svg`, docs), plot)
  writeFileSync(new URL('performance.md', docs), pageOf(figures))
}

/** The page's text. */
export function pageOf({ peers, growth }: Figures): string {
  const sections = [
    `# Performance

What a turn costs, beside other frameworks and beside none, and how costs grow. \`npm run bench -- peers\` and \`npm run bench -- growth\` measure it and write this page, with its text and its plots; nothing here is written by hand. Ratios say more than times: they were taken in the same rounds, so another machine changes them little.`,
    ...(peers === undefined ? [] : peersSections(peers)),
    ...(growth === undefined ? [] : [growthSection(growth), whereText('Growth', growth.machine)]),
    repeatText,
  ]
  return `${sections.join('\n\n')}\n`
}

/** Its plots, by their names. */
export function plotsOf({ peers, growth }: Figures): [name: string, plot: string][] {
  const plots: [string, string][] = []
  if (peers !== undefined) {
    const summary = new Summary(peers.found)
    const bars = (of: (id: string) => number) =>
      measured(peers, besides)
        .map(({ id, name }) => ({ name, value: of(id), ours: id.startsWith('beach') }))
        .toSorted((a, b) => a.value - b.value)
    plots.push([
      'performance-cpu',
      barPlot(
        'CPU of the server per turn, 32 at a time',
        'ms',
        bars((id) => summary.of(id, together, 'cpuMs').value),
      ),
    ])
    plots.push([
      'performance-memory',
      barPlot(
        'Memory of the server under load',
        'MB',
        bars((id) => summary.of(id, together, 'residentMb').value),
      ),
    ])
  }
  if (growth !== undefined) plots.push(['performance-growth', growthPlot(growth)])
  return plots
}

/** What stands beside the other frameworks; the channels have a table of their own. */
function besides({ id }: Contender): boolean {
  return !/^loop-|^beach-(sqlite|memory)-(sse|ws|a2a|mcp)$/.test(id)
}

function measured({ found }: PeersFigures, which: (contender: Contender) => boolean): Contender[] {
  const ids = new Set(found.map(({ id }) => id))
  return contenders.filter((contender) => ids.has(contender.id) && which(contender))
}

function peersSections(peers: PeersFigures): string[] {
  const summary = new Summary(peers.found)
  return [
    frameworksSection(peers, summary),
    durabilitySection(peers),
    syncsSection(summary),
    channelsSection(peers, summary),
    methodSection(peers),
    whereText('The turn beside other frameworks', peers.machine),
  ]
}

function frameworksSection(peers: PeersFigures, summary: Summary): string {
  const row = (contender: Contender) => {
    const { id } = contender
    const cpu = (load: typeof together) => {
      const { value, ratio } = summary.of(id, load, 'cpuMs')
      return `${shown(value)} (${shown(ratio)}×)`
    }
    return [
      nameOf(contender, peers),
      cpu(together),
      cpu(alone),
      cpu(togetherAtOnce),
      cpu(aloneAtOnce),
      shown(summary.of(id, aloneAtOnce, 'firstByteMs').value),
      shown(summary.of(id, together, 'residentMb').value),
      shown(Math.max(0, summary.heapMbOf1000(id))),
      contender.kept,
    ]
  }
  return `## A turn beside other frameworks

The same work for all: a message comes in by HTTP, the model calls one tool, gets its result, and answers in 50 deltas that go out one by one. CPU of the server per turn in ms, and how many times that of the provider loop it is, 32 conversations at a time and one, with deltas ${pace} ms apart and as fast as they go. The first byte in ms, of one at a time. Memory is what the system has given to the process under load, heap what is left in use of 1,000 new conversations of one turn.

![CPU of the server per turn, by framework](${pictures}/performance-cpu.svg)

${table(
  [
    'framework',
    `32 at a time, ${pace} ms apart`,
    `one, ${pace} ms apart`,
    '32 at a time, at once',
    'one, at once',
    'first byte',
    'memory, MB',
    'heap of 1,000, MB',
    'keeps',
  ],
  measured(peers, besides).map(row),
)}

![Memory of the server under load, by framework](${pictures}/performance-memory.svg)

${goalsText(summary)}`
}

/** Where the goals stand, in words that follow the figures. */
function goalsText(summary: Summary): string {
  const cpu = (load: typeof together, id = 'beach-sqlite-agui', against = 'loop') =>
    summary.of(id, load, 'cpuMs', against).ratio
  const goals: [what: string, is: number, goal: number, unit: string][] = [
    ['CPU of 32 at a time, beside Genkit', cpu(together, 'beach-sqlite-agui', 'genkit'), 1.15, '×'],
    ['CPU of 32 at a time, beside the provider loop', cpu(together), 1.6, '×'],
    ['the same in memory', cpu(together, 'beach-memory-agui'), 1.3, '×'],
    ['CPU of one at a time, beside the provider loop (two syncs on top are accepted)', cpu(alone), 2, '×'],
    ['first byte, beside the provider loop', summary.of('beach-sqlite-agui', aloneAtOnce, 'firstByteMs').ratio, 2, '×'],
    ['memory under load', summary.of('beach-sqlite-agui', together, 'residentMb').value, 160, ' MB'],
  ]
  return `Beach on SQLite by AG-UI against its goals:

${table(
  ['', 'measured', 'goal', ''],
  goals
    .filter(([, is]) => Number.isFinite(is))
    .map(([what, is, goal, unit]) => [what, `${shown(is)}${unit}`, `≤ ${goal}${unit}`, is <= goal ? 'met' : 'not met']),
)}`
}

function durabilitySection(peers: PeersFigures): string {
  const rows = measured(peers, besides).map((contender) => {
    const { finished = false, cutOff } = peers.durability.find(({ id }) => id === contender.id) ?? {}
    const yes = (is: boolean | undefined) => (is === undefined ? '–' : is ? 'yes' : 'no')
    return [nameOf(contender, peers), contender.kept, yes(finished), yes(cutOff)]
  })
  return `## What is durable

Each run also ends every server by \`kill -9\`: right after an answer, to look for the answer's last word in the files that are left; and agents that should go on in the middle of one, to see whether the next process brings that answer to its end. Nothing says that the others could not be made durable; they are measured as their guides set them up. Only Mastra was given a place on disk, since its memory wants one.

${table(['framework', 'keeps', 'a finished answer is on disk', 'a cut-off answer is finished by the next process'], rows)}`
}

function syncsSection(summary: Summary): string {
  const of = (id: string, load: typeof together) => summary.of(id, load, 'cpuMs').value
  const first = (id: string) => shown(summary.of(id, aloneAtOnce, 'firstWordMs').value)
  const rows = [togetherAtOnce, aloneAtOnce].map((load) => [
    load.people === 1 ? 'one at a time' : `${load.people} at a time`,
    shown(of('beach-sqlite-agui', load)),
    shown(of('beach-memory-agui', load)),
    shown(summary.of('beach-sqlite-agui', load, 'turnsPerSecond').value),
    shown(summary.of('beach-memory-agui', load, 'turnsPerSecond').value),
  ])
  return `## What Beach pays for its syncs

Nothing is told before it is on disk: the message before it is acknowledged, the call of a tool that must not run twice before it runs, its result before it is used, the answer before its turn settles. Each of these is a write that the disk confirms (\`synchronous = FULL\`). Many conversations at a time share them; a single message at a time pays for all of its own, and that is accepted. The first word of an answer comes ${first('beach-sqlite-agui')} ms after its message on SQLite, ${first('beach-memory-agui')} ms in memory: the time between is the disk's.

${table(['deltas at once, by AG-UI', 'CPU on SQLite, ms', 'CPU in memory, ms', 'turns/s on SQLite', 'turns/s in memory'], rows)}`
}

const stockOf: Readonly<Record<string, string>> = {
  agui: 'loop',
  sse: 'loop',
  ws: 'loop-ws',
  a2a: 'loop-a2a',
  mcp: 'loop-mcp',
}

function channelsSection(peers: PeersFigures, summary: Summary): string {
  const ids = new Set(peers.found.map(({ id }) => id))
  const rows = Object.entries(stockOf)
    .filter(([channel, stock]) => ids.has(stock) && ids.has(`beach-sqlite-${channel}`))
    .map(([channel, stock]) => {
      const { wire = channel } = contenders.find(({ id }) => id === `beach-sqlite-${channel}`) ?? {}
      const cell = (store: string, load: typeof together) => {
        const { value, ratio } = summary.of(`beach-${store}-${channel}`, load, 'cpuMs', stock)
        return `${shown(value)} (${shown(ratio)}×)`
      }
      return [
        wire,
        shown(summary.of(stock, together, 'cpuMs').value),
        cell('sqlite', together),
        cell('memory', together),
        cell('sqlite', alone),
        shown(summary.of(`beach-sqlite-${channel}`, together, 'pieces').value),
      ]
    })
  return `## By every channel

The provider loop behind each protocol's stock server (AG-UI has none: bare server-sent events stand for it), and Beach. CPU of the server per turn in ms, deltas ${pace} ms apart, and how many times that of the stock server. *Pieces* are the chunks in which Beach's words arrive: by A2A it gathers text for up to 75 ms, and an MCP result comes whole, from both.

${table(
  ['channel', 'stock, 32 at a time', 'SQLite, 32 at a time', 'memory, 32 at a time', 'SQLite, one at a time', 'pieces'],
  rows,
)}`
}

function methodSection({ extent, versions, failed }: PeersFigures): string {
  const installed = Object.entries(versions).map(([name, version]) => `\`${name}\` ${version}`)
  const leftOut = Object.entries(failed).map(
    ([id, why]) => `\n- \`${id}\` could not be measured and is left out: ${why}`,
  )
  return `## Method

- Every server runs in a process of its own, with the same Node and the same flags, Beach from its packages as they are published; the client runs in another. CPU is what the server's process has used (user and system), divided by the turns that it answered.
- The model is scripted and in-process, behind each framework's own interface for models: what is measured is the framework, and not an HTTP client to a provider. Each delta comes in a round of the event loop of its own, as from a network.
- The provider loop is what one writes without a framework: it calls the model until it calls no tool, and writes each delta to the response. Bare \`node:http\` writes the deltas without model and tool.
- Frameworks answer in their own stream format where they have one (AI SDK, CopilotKit, ADK, Mastra), else each chunk as one event on \`node:http\`. Telemetry to their makers is off. LangGraph has its in-memory checkpoints, ADK its in-memory sessions, Mastra its memory on libSQL.
- Beach's actor is the same loop as a function, with the tool's call and result in the log; the row with \`respond()\` has a model that speaks by that tool's JSON, which is parsed while it streams. Beach authenticates each caller, and projects missives; the others do neither.
- Clients send the new message only, in conversations of ten turns; whoever keeps conversations finds the earlier turns there. Each answer is read to its end and its words are counted.
- One run, interleaved: ${extent.rounds} rounds after a warm-up of ${extent.warmUpMs / 1_000} s, in each of which every server bears every load for ${extent.loadMs / 1_000} s, in an order that changes. Medians of the rounds; ratios are medians of each round's ratio.
- Installed: ${installed.join(', ')}. LangGraph is held at 1.4.18 and \`@langchain/protocol\` at 0.0.19: what later ones need was not to be had here.${leftOut.join('')}`
}

const repeatText = `## Repeat it

\`\`\`sh
npm run bench -- peers                       # all of it, about ten minutes; installs the frameworks on first use (1.2 GB)
npm run bench -- peers --only genkit --only loop --only beach-sqlite --rounds 2 --json out.json
npm run bench -- growth                      # what grows; needs about 8 GB of disk for a while
npm run bench -- peers --page                # the page anew, from the figures of before
npm run bench                                # the other benches, against bare programs
\`\`\`

A run of all frameworks renews this page; one of some, or with other rounds, does not. The frameworks are in \`bench/peers\`, a package of its own outside the workspaces with exact versions and its own lockfile.`

function nameOf({ name, package: from }: Contender, { versions }: PeersFigures): string {
  const version = from === undefined ? undefined : versions[from]
  return version === undefined ? name : `${name} ${version}`
}

function whereText(what: string, machine: Machine): string {
  const { date, node, cpu, cores, memoryGb, platform, loadBefore, seconds } = machine
  const quiet =
    loadBefore < 0.5 ? 'nothing else at work' : `**other programs at work** (a load of ${shown(loadBefore)})`
  return `*${what}: measured on ${date} in ${Math.round(seconds / 60)} minutes, Node ${node}, ${cores} cores (${cpu}), ${memoryGb} GB, ${platform}, with ${quiet} when it began.*`
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}
