import * as fc from 'fast-check'

// The tests try the same cases each time, so that a change is to blame when one fails; `npm run fuzz` tries others.
fc.configureGlobal({ seed: Number(process.env.BEACH_SEED ?? 1) })
