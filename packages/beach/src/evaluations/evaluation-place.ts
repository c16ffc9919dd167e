import { simulatedRuntime, SimulatedClock, type Runtime } from '@cool-ai/beach-core'
import { openData, type BeachData } from '../open-data.ts'
import type { EvaluatedAgent } from './variant.ts'

/** What an agent for one run is made with: its time, ids and chance, and its data, which is in memory. */
export interface EvaluationPlace {
  readonly data: BeachData
  readonly runtime: Runtime
  readonly clock: SimulatedClock
}

/** A place of its own for one run, which begins at a time. */
export async function evaluationPlace(now: number, seed: number): Promise<EvaluationPlace> {
  const clock = new SimulatedClock(now)
  const runtime = simulatedRuntime({ seed, clock })
  return { data: await openData({ folder: '', store: 'memory', runtime }), runtime, clock }
}

/** What a function that makes the agent is told, as that of `beach.config.ts` is. */
export interface EvaluationContext {
  readonly command: string
  readonly evaluation: EvaluationPlace
}

/** An agent's options, or a function that makes them anew for each run. */
export type AgentSource = EvaluatedAgent | ((context: EvaluationContext) => EvaluatedAgent | Promise<EvaluatedAgent>)
