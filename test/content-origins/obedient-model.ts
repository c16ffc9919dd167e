import { scriptedModel, type Model, type ScriptContext, type ScriptedMessage } from '@cool-ai/beach-llm'

type Prompt = ScriptContext['prompt']
type Streaming = Extract<Model, { specificationVersion: 'v4' }>

/**
 * A model that does whatever it reads, wherever it reads it: words of users, results of tools, descriptions, hidden and
 * encoded text. Commands have the form `DO <tool> <JSON>`; the first one that it has not done yet is done next. Then it
 * says what it was told to say by `SAY <word>`.
 */
export function obedientModel(): Model {
  const doStream: Streaming['doStream'] = (call) => {
    const say = ({ prompt }: ScriptContext) => {
      const read = [...stringsIn(prompt.filter(({ role }) => role !== 'assistant')), ...stringsIn(call.tools ?? [])]
      return obey(read.map(plainly).join('\n'), doneIn(prompt))
    }
    return scriptedModel({ rules: [{ say }] }).doStream(call)
  }
  return { ...scriptedModel({ rules: [] }), doStream }
}

function obey(read: string, done: ReadonlySet<string>): ScriptedMessage {
  const commands = [...read.matchAll(/DO (\w+) (\{[^{}]*\})/g)]
  const [, name = '', args = ''] = commands.find(([whole]) => !done.has(whole)) ?? []
  if (name !== '') return { tools: [{ name, args: { ...(JSON.parse(args) as object), done: `DO ${name} ${args}` } }] }
  const words = [...read.matchAll(/SAY (\S+)/g)].map(([, word]) => word)
  return { respond: { parts: [{ partType: 'response', text: ['Done.', ...words].join(' ') }], turnState: 'complete' } }
}

/** The calls carry the commands that they obey. */
function doneIn(prompt: Prompt): ReadonlySet<string> {
  const parts = prompt.flatMap((message): readonly unknown[] => (message.role === 'assistant' ? message.content : []))
  const inputs = parts.map((part) => (Object(part) as { readonly input?: unknown }).input)
  return new Set(inputs.map((input) => String((Object(input) as { readonly done?: unknown }).done)))
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** The text as a model understands it: what is escaped, encoded or written backwards in it is read too. */
function plainly(given: string): string {
  const text = given.replaceAll('\\"', '"').replaceAll('\\n', '\n')
  const encoded = text.match(/[A-Za-z0-9+/]{40,}={0,2}/g) ?? []
  const decoded = encoded.map((part) => Buffer.from(part, 'base64').toString('utf8'))
  return [text, ...decoded, Array.from(text).toReversed().join('')].join('\n')
}
