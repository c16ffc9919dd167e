// What the samples of the READMEs take for granted: things of the reader's own program.
import type { BeachOptions } from '@cool-ai/beach'
import type { Principal, Runtime, Sessions, Store } from '@cool-ai/beach-core'
import type { LlmActor } from '@cool-ai/beach-llm'
import type { Missives } from '@cool-ai/beach-missives'
import type { ChannelHarness } from '@cool-ai/beach-testing/contracts'
import type { FlowClient } from '@intentflow/core/client'

declare global {
  const airline: { search(day: string, options: { signal: AbortSignal }): Promise<readonly unknown[]> }
  const bank: { pay(invoice: string, options: { idempotencyKey: string }): Promise<string> }
  const clerk: LlmActor
  const container: HTMLElement
  // The reader's agent, and who is calling.
  const agent: BeachOptions['agent']
  const actors: BeachOptions['actors']
  const missives: Missives
  const sessions: Sessions
  const store: Store
  const runtime: Runtime
  const principal: Principal
  const by: Principal
  const session: string
  const tenant: string
  // Accounts and secrets.
  const user: string
  const pass: string
  const code: string
  const secret: Uint8Array
  const region: string
  const accessKeyId: string
  const secretAccessKey: string
  const accessToken: string
  const appSecret: string
  const verifyToken: string
  const accountSid: string
  const authToken: string
  // A page of theirs.
  const client: FlowClient
  const instanceId: string
  const renderer: { handle(part: unknown): void }
  const Chat: () => null
  const TrackOrder: () => null
  const shop: {
    pay(
      items: readonly unknown[],
      paymentId: string,
      options: { idempotencyKey: string; signal: AbortSignal },
    ): Promise<string>
  }
  function show(text: string): void
  function harness(): Promise<ChannelHarness>
  function draw(...what: readonly unknown[]): void
}
