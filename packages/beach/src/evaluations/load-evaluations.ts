import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BeachError } from '@cool-ai/beach-core'
import {
  defineEvaluation,
  readEvaluations,
  type Evaluation,
  type NamedEvaluation,
} from '@cool-ai/beach-inspect/evaluations'

const isYaml = /\.ya?ml$/
const isCode = /(?<!\.d|\.test)\.[cm]?[jt]s$/

/** The evaluations of files, and of all files in folders: YAML, and TypeScript whose default export is one or several. */
export async function loadEvaluations(paths: readonly string[]): Promise<NamedEvaluation[]> {
  const files = paths.flatMap(filesOf)
  const problems: string[] = []
  const loaded: NamedEvaluation[] = []
  for (const file of files) {
    try {
      loaded.push(...(await evaluationsOf(file)))
    } catch (error) {
      if (!(error instanceof BeachError)) throw error
      problems.push(error.message)
    }
  }
  if (problems.length > 0) throw wrong(problems.join('\n'))
  if (loaded.length === 0) throw wrong(`There are no evaluations in ${paths.join(', ')}.`)
  return loaded
}

function filesOf(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw wrong(`There is no file or folder ${path}.`)
  if (!found.isDirectory()) return [path]
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).toSorted()
  return names.filter((name) => isYaml.test(name) || isCode.test(name)).map((name) => join(path, name))
}

async function evaluationsOf(file: string): Promise<NamedEvaluation[]> {
  if (isYaml.test(file)) return readEvaluations(readFileSync(file, 'utf8'), file)
  if (!isCode.test(file)) throw wrong(`${file}: evaluations are in YAML or TypeScript files.`)
  const { default: exported } = (await import(pathToFileURL(resolve(file)).href)) as { default?: unknown }
  if (typeof exported !== 'object' || exported === null) {
    throw wrong(`${file}: has no default export. Export what defineEvaluation() gives, or a list of such.`)
  }
  const list = (Array.isArray(exported) ? exported : [exported]) as Evaluation[]
  const base = file.replace(/^.*[/\\]/, '').replace(isCode, '')
  return list.map((one, index) => {
    try {
      const name = one.name ?? (list.length === 1 ? base : `${base} ${index + 1}`)
      return { ...defineEvaluation(one), name, file }
    } catch (error) {
      throw error instanceof BeachError ? wrong(`${file}: ${error.message}`) : error
    }
  })
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}
