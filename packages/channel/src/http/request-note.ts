/**
 * What the server of a request knows of it, and a Web-standard request does not say. It is a property of the
 * request and no `WeakMap`: one that has grown old keeps what it holds through every minor collection, and with a
 * response that is all there was to an answer.
 */
export class RequestNote<Value> {
  readonly #key: symbol

  constructor(name: string) {
    this.#key = Symbol(name)
  }

  set(request: Request, value: Value): void {
    ;(request as Noted<Value>)[this.#key] = value
  }

  get(request: Request): Value | undefined {
    return (request as Noted<Value>)[this.#key]
  }
}

type Noted<Value> = Request & { [key: symbol]: Value | undefined }
