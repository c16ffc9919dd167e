export { createBeach, type Beach, type BeachOptions } from './create-beach.ts'
export { openData, type BeachData } from './open-data.ts'
export { serve, type Serving } from './serve.ts'
export { defineActor, type ActorContext, type Respond } from '@cool-ai/beach-session'
