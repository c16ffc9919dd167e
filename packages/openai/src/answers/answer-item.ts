/** A source of what was said. */
export interface AnswerSource {
  readonly url: string
  readonly title: string
}

/** A text of an answer, as far as it has come. */
export interface TextItem {
  readonly kind: 'text' | 'reasoning' | 'refusal'
  readonly key: string
  readonly text: string
  readonly sources: readonly AnswerSource[]
}

/** A call that the client is to answer: a tool of its own, or a request for an approval. */
interface CallItem {
  readonly kind: 'call'
  readonly key: string
  readonly callId: string
  readonly name: string
  /** JSON. */
  readonly arguments: string
}

/** A piece of an answer, in the terms that both APIs of OpenAI have. */
export type AnswerItem = TextItem | CallItem
