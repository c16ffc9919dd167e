import styles from '@cool-ai/beach-react/styles.css?inline'
import { createElement as h } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import type { BeachChatElement as Described } from '../src/beach-chat.ts'
import { ChatApp, type Send } from './chat-app.ts'
import own from './element.css?inline'

/** The agent that has served this file; it stands in a folder of its own. */
const codeUrl = import.meta.url
const servedBy = new URL('..', codeUrl).href

const sheet = new CSSStyleSheet()
sheet.replaceSync(`${styles}\n${own}`)

const attributes = ['agent', 'conversation', 'label', 'placeholder', 'suggestions'] as const

/** A conversation with an agent as an element of any page. The page's styles do not reach into it, except by its variables. */
export class BeachChatElement extends HTMLElement implements Described {
  static readonly observedAttributes: readonly string[] = attributes

  readonly #frame = document.createElement('div')
  #root: Root | undefined
  #token: string | undefined
  #send: Send | undefined

  constructor() {
    super()
    const tree = this.attachShadow({ mode: 'open' })
    tree.adoptedStyleSheets = [sheet]
    this.#frame.className = 'frame'
    tree.append(this.#frame)
    // To the page a key that is pressed in a field of this tree seems to be pressed outside of any field.
    for (const type of ['keydown', 'keypress', 'keyup']) this.#frame.addEventListener(type, keepWithin)
    this.#takeEarlier()
  }

  connectedCallback(): void {
    // The `rem` of surfaces, which is otherwise the page's.
    this.#frame.style.setProperty('--a2ui-rem', getComputedStyle(this.#frame).fontSize)
    this.#root ??= createRoot(this.#frame)
    this.#draw()
  }

  disconnectedCallback(): void {
    // An element that is only moved is in the page again at once, and keeps its connection.
    queueMicrotask(() => {
      if (this.isConnected) return
      this.#root?.unmount()
      this.#root = undefined
    })
  }

  attributeChangedCallback(): void {
    this.#draw()
  }

  /** Gives the focus to the field to write in. */
  override focus(options?: FocusOptions): void {
    this.#frame.querySelector('textarea')?.focus(options)
  }

  /** What `authenticators` of the agent accept, for users who have signed in; guests need none. */
  get token(): string | undefined {
    return this.#token
  }

  set token(token: string | undefined) {
    this.#token = token ?? undefined
    this.#draw()
  }

  /** Says something for the user, as if it had been typed. */
  async send(text: string): Promise<void> {
    if (this.#send === undefined)
      throw new Error('<beach-chat> has no conversation yet, or may not have one on this page.')
    await this.#send(text)
  }

  #draw(): void {
    const [agent, conversation, label, placeholder, suggestions] = attributes.map((name) => this.getAttribute(name))
    this.#root?.render(
      h(ChatApp, {
        agent: agent ?? servedBy,
        conversation: conversation ?? undefined,
        label: label ?? undefined,
        placeholder: placeholder ?? undefined,
        suggestions: suggestions?.split('|').flatMap((text) => text.trim() || []),
        token: this.#token,
        onSend: (send: Send | undefined) => {
          this.#send = send
        },
      }),
    )
  }

  /** What the page has set before the element was defined hides the accessors. */
  #takeEarlier(): void {
    const given = Object.getOwnPropertyDescriptor(this, 'token')
    if (given === undefined) return
    Reflect.deleteProperty(this, 'token')
    this.token = given.value as string | undefined
  }
}

function keepWithin(event: Event): void {
  const [target] = event.composedPath()
  if (target instanceof HTMLElement && target.matches('input, textarea, select')) event.stopPropagation()
}
