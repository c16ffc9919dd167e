import type { Store } from '@cool-ai/beach-core'
import { eraseCopies, forgetCopy, noteCopy, toLogged, type Copy } from '@cool-ai/beach-core/log'
import type { Page, StoredEvent } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { totalsOf, type CaseResult, type EvaluationReport, type Totals } from '../report.ts'

/** A kept report without its cases: what lists and plots show. */
export interface ReportSummary extends Omit<EvaluationReport, 'cases'> {
  readonly totals: Readonly<Record<string, Totals>>
}

const farFuture = 9_999_999_999_999
/** The longest text of a step that is kept. */
const maxText = 4_000
const maxArguments = 1_000
const maxReports = 500
const pageSize = 200

/** The results of evaluations in an agent's store: a log for each report, found by a key with its time. */
export class KeptEvaluations {
  readonly #store: Store
  readonly #tenant: string
  readonly #prefix: string

  constructor(store: Store, tenant: string) {
    this.#store = store
    this.#tenant = tenant
    this.#prefix = `evaluations:${encodeURIComponent(tenant)}:`
  }

  /**
   * Keeps a report; the oldest go when there are too many. Of a case that was made from a session, only figures stay once
   * that session is erased: returns the cases whose session was erased before.
   */
  async keep({ cases, ...report }: EvaluationReport): Promise<CaseResult[]> {
    const totals = Object.fromEntries(report.variants.map((variant) => [variant, totalsOf(cases, variant)]))
    const summary: ReportSummary = { ...report, totals }
    const log = this.#log(report.id)
    const first = await this.#store.append(log, 0, [summary])
    let head = first
    for (const one of cases) {
      // One at a time: an append has a limit.
      head = await this.#store.append(log, head, [shortened(one)])
      const copy = this.#copyOf(one, log, head - first)
      if (copy !== undefined) await noteCopy(this.#store, copy, erased(one))
    }
    const gone = await this.#erasedBefore(cases)
    // Last, so that what is found is whole.
    await this.#store.bind(`${this.#prefix}${farFuture - report.startedAt}:${report.id}`, log)
    for (const { key, value } of await this.#store.list(this.#prefix, await this.#lastKept())) {
      await this.#drop(key, value)
    }
    return gone
  }

  /** Reports, newest first. */
  async list(after: string | undefined, limit: number): Promise<Page<ReportSummary>> {
    const from = after === undefined ? undefined : this.#prefix + after
    const keys = await this.#store.list(this.#prefix, from, limit + 1)
    const shown = keys.slice(0, limit)
    const items = await Promise.all(shown.map(async ({ value }) => (await this.#store.read(value, 0, 1))[0]?.data))
    const next = keys.length > limit ? shown.at(-1)?.key.slice(this.#prefix.length) : undefined
    return { items: items.filter((item) => item !== undefined) as ReportSummary[], ...defined({ next }) }
  }

  /** A whole report; undefined when it is not there. */
  async read(id: string): Promise<(ReportSummary & Pick<EvaluationReport, 'cases'>) | undefined> {
    if ((await this.#keyOf(id)) === undefined) return undefined
    const entries: unknown[] = []
    for await (const { data } of this.#entries(this.#log(id))) entries.push(data)
    const [summary, ...cases] = entries as [ReportSummary, ...CaseResult[]]
    return { ...summary, cases }
  }

  /** Forgets a report; false when it was not there. */
  async remove(id: string): Promise<boolean> {
    const key = await this.#keyOf(id)
    if (key === undefined) return false
    await this.#drop(key, this.#log(id))
    return true
  }

  async #drop(key: string, log: string): Promise<void> {
    await this.#store.unbind(key)
    let first: number | undefined
    for await (const { seq, data } of this.#entries(log)) {
      first ??= seq
      const copy = this.#copyOf(data as CaseResult, log, seq - first)
      if (copy !== undefined) await forgetCopy(this.#store, copy)
    }
    await this.#store.drop(log)
  }

  /** Erases once more, with what was kept just now, where that was done after the evaluation was made; returns those cases. */
  async #erasedBefore(cases: readonly CaseResult[]): Promise<CaseResult[]> {
    const gone: CaseResult[] = []
    for (const [session = '', own] of Map.groupBy(cases, ({ from }) => from?.session)) {
      const madeAt = Math.min(...own.map(({ from }) => Date.parse(from?.at ?? '')))
      if (session === '' || !(await this.#isErasedSince(session, madeAt))) continue
      await eraseCopies(this.#store, session)
      gone.push(...own)
    }
    return gone
  }

  async #isErasedSince(session: string, time: number): Promise<boolean> {
    for await (const entry of this.#entries(session)) {
      const { event } = toLogged(entry)
      if (event.type === 'dataErased' && event.at >= time) return true
    }
    return false
  }

  async *#entries(log: string): AsyncGenerator<StoredEvent> {
    for (let at = 0; ;) {
      const page = await this.#store.read(log, at, pageSize)
      yield* page
      at = page.at(-1)?.seq ?? at
      if (page.length < pageSize) return
    }
  }

  #copyOf({ from }: Pick<CaseResult, 'from'>, log: string, after: number): Copy | undefined {
    if (from === undefined) return undefined
    const { session, principal } = from
    return { session, tenant: this.#tenant, principal, log, after }
  }

  async #keyOf(id: string): Promise<string | undefined> {
    for (let after: string | undefined; ;) {
      const keys = await this.#store.list(this.#prefix, after, pageSize)
      const found = keys.find(({ key }) => key.endsWith(`:${id}`))
      if (found !== undefined || keys.length < pageSize) return found?.key
      after = keys.at(-1)?.key
    }
  }

  /** The key of the last report that may stay; one after all keys when there are not too many. */
  async #lastKept(): Promise<string> {
    return (await this.#store.list(this.#prefix, undefined, maxReports)).at(maxReports - 1)?.key ?? `${this.#prefix}~`
  }

  #log(id: string): string {
    return `${this.#prefix}log:${id}`
  }
}

/** A case as it is kept: long texts are cut. */
function shortened(one: CaseResult): CaseResult {
  const runs = one.runs.slice(0, 50).map((run) => ({
    ...run,
    steps: run.steps.map((step) => ({
      ...step,
      text: cut(step.text, maxText),
      tools: step.tools.map((call) => ({ ...call, args: shortArguments(call.args) })),
    })),
  }))
  return { ...one, runs }
}

/** What stays of a case once its session is erased: figures, and neither names nor texts. */
function erased({ from, variant, passed, passRate, required, runs }: CaseResult): CaseResult {
  const left = runs.slice(0, 50).map((run) => {
    return { ...run, steps: [], failures: [], error: undefined, problems: [] }
  })
  return { name: `Erased with ${from?.session}`, isErased: true, variant, passed, passRate, required, runs: left }
}

function shortArguments(args: unknown): unknown {
  const text = JSON.stringify(args) ?? ''
  return text.length > maxArguments ? cut(text, maxArguments) : args
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
