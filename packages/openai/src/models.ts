import { jsonResponse } from '@cool-ai/beach-channel/http'
import type { Desk } from './desk.ts'

/** The agents that can be asked, as OpenAI's clients list models. */
export class ModelsApi {
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  list(request: Request): Promise<Response> {
    return this.#desk.answerAtOnce(request, async () => jsonResponse({ object: 'list', data: [this.#model()] }))
  }

  get(request: Request, id: string): Promise<Response> {
    return this.#desk.answerAtOnce(request, async () => {
      this.#desk.checkModel(id)
      return jsonResponse(this.#model())
    })
  }

  #model() {
    const { id, name, description } = this.#desk.options.agent
    return { id, object: 'model', created: 0, owned_by: 'beach', name, description }
  }
}
