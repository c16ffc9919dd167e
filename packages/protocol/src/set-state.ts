import * as z from 'zod'

const coordinateName = z.string().regex(/^[^.]+\.[^.]+$/, "is not '<component>.<coordinate>'")

/** The `data` of a setState part: new values of coordinates, all of them accepted or none. */
export const setStateSchema = z.record(coordinateName, z.string()).describe('Keys are <component>.<coordinate>.')

/** A state transition that an actor proposes, in the author's form. The router applies it; listeners never see it. */
export interface SetStatePart {
  partType: 'setState'
  data: Record<string, string>
}
