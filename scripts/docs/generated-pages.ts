import { httpPage } from './http-page.ts'
import { referencePages } from './reference-pages.ts'
import { schemasPage } from './schemas-page.ts'

/** The pages that are made of the sources, by where they stand. */
export async function generatedPages(): Promise<Map<string, string>> {
  return new Map([['reference/http-api', await httpPage()], ['reference/schemas', schemasPage()], ...referencePages()])
}
