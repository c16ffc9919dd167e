import type { Message, Task } from '@a2a-js/sdk'
import type { Client as StockClient } from '@a2a-js/sdk/client'
import { openSession } from '@cool-ai/beach-client'
import {
  answerOf,
  approvalIn,
  collect,
  data,
  foldArtifacts,
  getTask,
  request,
  says,
  stateOf,
  stockClient,
} from '../../support/stock-a2a.ts'
import { insist } from '../insist.ts'
import type { Transcript } from '../script.ts'
import type { Client, ClientContext } from './client.ts'

/** Holds a conversation by A2A with the stock client; each task is also pushed. */
export const holdByA2a: Client = async (script, context) => {
  const { balancer, ledger, signal } = context
  const { url, fetch } = balancer
  const { token } = await insist(() => openSession({ url, fetch, signal }), signal)
  const client = await insist(() => stockClient(balancer.next(url).href, 'JSONRPC 1.0', token, fetch), signal)
  const contextId = crypto.randomUUID()
  const problems: string[] = []
  const tasks: { readonly asked: string; readonly id: string }[] = []
  for (const ask of script.asks) {
    const asked = `${script.name} ${ask}`
    const push = {
      tenant: '',
      id: '',
      taskId: '',
      url: `${ledger.url}/push/${script.name}`,
      token: 'a-token-that-is-long-enough',
      authentication: undefined,
    }
    const following = new Following(client, says(asked, { contextId }), push, context)
    let task = await following.ended()
    if (stateOf(task) === 'INPUT_REQUIRED') {
      const part = data({ approvalId: approvalIn(task), decision: 'granted' }, 'approval-response')
      const decision = says('', { contextId, taskId: task.id, parts: [part] })
      const decided = new Following(client, decision, undefined, context)
      task = await decided.ended()
      problems.push(...decided.problems)
    }
    if (stateOf(task) !== 'COMPLETED') problems.push(`'${asked}' ended as ${stateOf(task)}`)
    problems.push(...following.problems)
    tasks.push({ asked, id: task.id })
  }
  const read = async (end: AbortSignal): Promise<Transcript> => {
    const answers: Transcript['answers'][number][] = []
    for (const { asked, id } of tasks) {
      const task = await insist(() => getTask(client, id), end)
      answers.push({ asked, texts: answerOf(task) })
    }
    return { ...script, answers, problems }
  }
  return { read }
}

type PushConfig = NonNullable<NonNullable<Parameters<typeof request>[1]>['taskPushNotificationConfig']>

/** Follows what becomes of one message until its task is over or asks something. */
class Following {
  readonly problems: string[] = []
  readonly #client: StockClient
  readonly #message: Message
  readonly #push: PushConfig | undefined
  readonly #signal: AbortSignal
  #taskId: string | undefined
  #streamed: ReadonlyMap<string, string> | undefined

  constructor(client: StockClient, message: Message, push: PushConfig | undefined, { signal }: ClientContext) {
    this.#client = client
    this.#message = message
    this.#push = push
    this.#signal = signal
  }

  async ended(): Promise<Task> {
    const task = await insist(() => this.#follow(), this.#signal)
    for (const [id, text] of this.#streamed ?? []) {
      const whole = task.artifacts.find((artifact) => artifact.artifactId === id)
      const texts = whole && answerOf({ ...task, artifacts: [whole] }).join('')
      if (texts !== text) this.problems.push(`the artifact ${id} was streamed as '${text}' and is '${texts}'`)
    }
    return task
  }

  async #follow(): Promise<Task> {
    this.#streamed = undefined
    if (this.#taskId !== undefined) {
      const task = await getTask(this.#client, this.#taskId)
      if (this.#isAtRest(task)) return task
      // A decision may not have been taken; sent again it is the same one.
      if (stateOf(task) === 'INPUT_REQUIRED') this.#taskId = undefined
    }
    const events = await collect(this.#stream())
    const task = await getTask(this.#client, this.#taskId ?? '')
    if (!this.#isAtRest(task)) throw new Error(`The stream ended while the task was ${stateOf(task)}.`)
    this.#streamed = foldArtifacts(events)
    return task
  }

  async *#stream() {
    const taskPushNotificationConfig = this.#push
    const stream =
      this.#taskId === undefined
        ? this.#client.sendMessageStream(request(this.#message, { taskPushNotificationConfig }))
        : this.#client.resubscribeTask({ id: this.#taskId, tenant: '' })
    for await (const event of stream) {
      yield event
      if (event.payload?.$case !== 'task') continue
      const isKnown = this.#taskId === event.payload.value.id
      this.#taskId = event.payload.value.id
      // It came to rest before it was subscribed to: the stream goes on until another caller has answered it.
      if (isKnown && this.#isAtRest(event.payload.value)) return
    }
  }

  /** Until its turn goes on, a task that was decided on still asks. */
  #isAtRest(task: Task): boolean {
    const state = stateOf(task)
    return !['SUBMITTED', 'WORKING'].includes(state) && (state !== 'INPUT_REQUIRED' || this.#message.taskId === '')
  }
}
