// What the samples of the READMEs take for granted: things of the reader's own program.
import type { LlmActor } from '@cool-ai/beach-llm'

declare global {
  const bank: { pay(invoice: string, options: { idempotencyKey: string }): Promise<string> }
  const clerk: LlmActor
  const container: HTMLElement
  function draw(...what: readonly unknown[]): void
}
