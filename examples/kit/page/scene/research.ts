import { fields, text } from '@cool-ai/beach-page/page/scene'

export interface Section {
  readonly title: string
  readonly text: string
}

/** The section in data of kind `research-section`; undefined when it is something else. */
export function sectionIn(data: unknown): Section | undefined {
  const given = fields(data)
  const [title, words] = [text(given.title), text(given.text)]
  return title === undefined || words === undefined ? undefined : { title, text: words }
}
