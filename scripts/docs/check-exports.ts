import { referencePages } from './reference-pages.ts'

// A part of `npm run check`: fails where an export has no sentence, from the types that `tsc -b` has just written.
referencePages()
