import type { Fault } from './faults.ts'
import type { Ledger, Received } from './ledger.ts'
import { leaseMs, possibleAnswers, type Transcript } from './script.ts'

/** What the outside world has seen. */
type Recorded = Pick<Ledger, 'runs' | 'received'>

/** What is wrong with what the clients saw and with what reached the outside world. */
export function problemsOf(transcripts: readonly Transcript[], ledger: Recorded, faults: readonly Fault[]): string[] {
  return [
    ...transcripts.flatMap((transcript) =>
      [...transcript.problems, ...answerProblems(transcript), ...runProblems(transcript, ledger)].map(
        (problem) => `${transcript.name} (${transcript.way}): ${problem}`,
      ),
    ),
    ...repeatedRuns(ledger),
    ...deliveryProblems(transcripts, ledger),
    ...needlessRepeats(ledger, faults),
  ]
}

/** Every message has one answer, and that is whole. */
function answerProblems({ name, asks, answers }: Transcript): string[] {
  const problems = answers.flatMap(({ asked, texts }) => {
    const [text = ''] = texts
    const isRight = texts.length === 1 && possibleAnswers(asked).includes(text)
    return isRight ? [] : [`'${asked}' was answered with ${JSON.stringify(texts)}`]
  })
  const asked = answers.map((answer) => answer.asked.split(' ').slice(0, 2).join(' '))
  const wanted = asks.map((ask) => `${name} ${ask}`)
  if (asked.join() !== wanted.join()) problems.push(`it has the messages ${asked.join(', ')}`)
  return problems
}

/** What the agent says of a tool is true. */
function runProblems({ answers }: Transcript, { runs }: Recorded): string[] {
  return answers.flatMap(({ asked, texts }) => {
    const hasRun = runs.some((run) => run.ask === asked)
    return texts[0] === `${asked}: ok` && !hasRun ? [`'${asked}' says that a tool has run, and it has not`] : []
  })
}

/** A tool that is not idempotent runs once at most, whatever its outcome is said to be. */
function repeatedRuns({ runs }: Recorded): string[] {
  const once = runs.filter((run) => run.ask.split(' ')[1] !== 'look')
  return [...grouped(once, (run) => run.ask)]
    .filter(([, group]) => group.length > 1)
    .map(([ask, group]) => `the tool for '${ask}' ran ${group.length} times, in the processes ${processesOf(group)}`)
}

function processesOf(runs: Recorded['runs']): string {
  return runs.map((run) => run.process).join(', ')
}

/** Every delivery has come, and under one key. */
function deliveryProblems(transcripts: readonly Transcript[], ledger: Recorded): string[] {
  return pushed(transcripts, ledger).flatMap(({ name, way, wanted, keys }) => {
    const problems = keys.size === wanted ? [] : [`${keys.size} deliveries have come in place of ${wanted}`]
    const each = way === 'webhook' ? [...keys.values()].flatMap(([first]) => first ?? []) : []
    const twice = [...grouped(each, contentOf)].filter(([, same]) => same.length > 1)
    problems.push(...twice.map(([content]) => `${content} was delivered under two keys`))
    return problems.map((problem) => `${name} (${way}): ${problem}`)
  })
}

/** Whether there is nothing to wait for: a delivery too many is a problem too, but no reason to wait. */
export function hasAllDeliveries(transcripts: readonly Transcript[], ledger: Recorded): boolean {
  return pushed(transcripts, ledger).every(({ keys, wanted }) => keys.size >= wanted)
}

/** The conversations whose answers are pushed, with the deliveries that have come and how many there must be. */
function pushed(transcripts: readonly Transcript[], { received }: Recorded) {
  const places = grouped(received, (each) => each.to)
  return transcripts.flatMap(({ name, way, asks }) => {
    if (way !== 'webhook' && way !== 'a2a') return []
    // Of a turn with an approval the request is delivered, and the answer.
    const wanted = asks.reduce((count, ask) => count + (ask === 'pay' ? 2 : 1), 0)
    const came = places.get(way === 'webhook' ? `/callbacks/${name}` : `/push/${name}`) ?? []
    return [{ name, way, wanted, keys: grouped(came, (each) => each.key) }]
  })
}

/** The parts of a delivery, which no other delivery of the same conversation has. */
function contentOf({ body }: Received): string {
  return JSON.stringify((JSON.parse(body) as { parts: unknown }).parts)
}

/** How long what a process has sent before a fault may still be under way. */
const underWayMs = 1_000

/**
 * For how long after its end a fault can be the reason that a delivery comes twice. A process that was killed, frozen or
 * kept waiting knows with its next write that it has lost its leases. A lease that was not renewed while the database was
 * away runs out later: another process takes the session then, and the first one learns it when it renews again.
 */
const lastsMs: Readonly<Record<Fault['kind'], number>> = {
  kill: underWayMs,
  freeze: underWayMs,
  stall: underWayMs,
  restart: leaseMs,
}

/**
 * A receiver gets the same key again only when a fault of the database, or of one of the two processes that have sent it,
 * has kept the first one from writing down that it was accepted.
 */
function needlessRepeats({ received }: Recorded, faults: readonly Fault[]): string[] {
  return [...grouped(received, (each) => `${each.to} ${each.key}`)].flatMap(([place, attempts]) =>
    attempts.slice(1).flatMap((again, index) => {
      const before = attempts[index] ?? again
      const theirs = faults.filter((fault) => isOf(fault, before) || isOf(fault, again))
      if (theirs.some(({ kind, from, until }) => from <= again.at && until + lastsMs[kind] >= before.at)) return []
      const last = theirs.filter(({ until }) => until < before.at).toSorted((one, other) => other.until - one.until)[0]
      const fault = last === undefined ? 'none' : `${last.kind}, ${Math.round(before.at - last.until)} ms earlier`
      const ms = Math.round(again.at - before.at)
      const who = again.process === before.process ? 'the same process' : 'another process'
      return [`${place} was delivered again by ${who} without a fault after ${ms} ms (last fault: ${fault})`]
    }),
  )
}

function isOf({ process }: Fault, { process: sender }: Received): boolean {
  return process === undefined || process === sender
}

function grouped<Value>(values: readonly Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  return Map.groupBy(values, keyOf)
}
