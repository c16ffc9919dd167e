import { parseArgs } from 'node:util'

/** An option of a script: a whole number from `min` on (1 when left out), one of some words, any word, or a switch. */
type Option =
  | { readonly about: string; readonly default: number; readonly min?: number }
  | { readonly about: string; readonly default: string; readonly oneOf: readonly string[] }
  | { readonly about: string; readonly default: undefined; readonly oneOf: readonly string[] }
  | { readonly about: string; readonly default: false }

type Options = Readonly<Record<string, Option>>

type Values<All extends Options> = {
  readonly [Name in keyof All]: All[Name] extends { readonly default: number }
    ? number
    : All[Name] extends { readonly default: false }
      ? boolean
      : All[Name] extends { readonly default: string }
        ? string
        : string | undefined
}

interface Script<All extends Options> {
  /** How it is called: `npm run chaos`. */
  readonly command: string
  readonly about: string
  readonly options: All
}

/** The options that a script was given. `--help` prints them and ends; a wrong one is said in a sentence, and ends with 1. */
export function scriptOptions<const All extends Options>(script: Script<All>): Values<All> {
  const { options } = script
  const read = valuesOf(options, process.argv.slice(2))
  if (typeof read === 'string') {
    console.error(`${read} \`${script.command} -- --help\` lists the options.`)
    process.exit(1)
  }
  if (read.help === true) {
    console.log(helpOf(script))
    process.exit(0)
  }
  return read as Values<All>
}

/** The values by their names, or what is wrong with what was given. */
export function valuesOf(options: Options, given: readonly string[]): Readonly<Record<string, unknown>> | string {
  const known = Object.fromEntries(
    Object.entries(options).map(([name, { default: usual }]) => {
      return [name, { type: usual === false ? ('boolean' as const) : ('string' as const) }]
    }),
  )
  const { tokens } = parseArgs({
    args: [...given],
    options: { ...known, help: { type: 'boolean' } },
    strict: false,
    tokens: true,
  })
  const values: Record<string, unknown> = { help: false }
  for (const [name, option] of Object.entries(options)) values[name] = option.default
  for (const token of tokens) {
    if (token.kind === 'positional') return `'${token.value}' belongs to no option.`
    if (token.kind !== 'option') continue
    if (token.name === 'help') values.help = true
    else {
      const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
      if (option === undefined) return `There is no option '${token.rawName}'.`
      const value = valueOf(option, token.value)
      if (value === undefined) return `Give ${token.rawName} ${kindOf(option)}.`
      values[token.name] = value
    }
  }
  return values
}

function valueOf(option: Option, given: string | undefined): number | string | true | undefined {
  if (option.default === false) return given === undefined ? true : undefined
  if (given === undefined) return undefined
  if ('oneOf' in option) return option.oneOf.includes(given) ? given : undefined
  return /^\d+$/.test(given) && Number(given) >= (option.min ?? 1) ? Number(given) : undefined
}

function kindOf(option: Option): string {
  if (option.default === false) return 'without a value'
  if ('oneOf' in option) return `as one of: ${option.oneOf.join(', ')}`
  return `as a whole number from ${option.min ?? 1} on`
}

function helpOf({ command, about, options }: Script<Options>): string {
  const lines = Object.entries(options).map(([name, option]) => {
    const words = 'oneOf' in option ? ` (${option.oneOf.join(', ')})` : ''
    const usual = option.default === undefined || option.default === false ? '' : `; ${option.default} when left out`
    return `  --${name.padEnd(15)}${option.about}${words}${usual}`
  })
  return [about, '', `  ${command} -- [options]`, '', ...lines].join('\n')
}
