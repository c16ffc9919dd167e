import { describe, expect, test } from 'vitest'
import { createModel, type ImportPackage } from './create-model.ts'

/** A package that notes what it is asked for. */
function fakePackage(factory: string) {
  const made: unknown[] = []
  const load: ImportPackage = async (name) => {
    made.push(name)
    return {
      [factory]: (settings: unknown) => (model: string) => {
        made.push(settings, model)
        return { modelId: model }
      },
    }
  }
  return { made, load }
}

describe('createModel', () => {
  test('makes the model of an id with its provider’s package', async () => {
    const { made, load } = fakePackage('createAnthropic')
    const model = await createModel('anthropic/claude-opus-4-5', { apiKey: 'k' }, load)
    expect(model).toEqual({ modelId: 'claude-opus-4-5' })
    expect(made).toMatchObject(['@ai-sdk/anthropic', { apiKey: 'k' }, 'claude-opus-4-5'])
  })

  test('takes everything after the first slash as the model', async () => {
    const { made, load } = fakePackage('createGroq')
    await createModel('groq/meta-llama/llama-4', {}, load)
    expect(made.at(-1)).toBe('meta-llama/llama-4')
  })

  test('asks compatible servers to count tokens, unless the settings say otherwise', async () => {
    const { made, load } = fakePackage('createOpenAICompatible')
    await createModel('openai-compatible/m', { baseURL: 'http://127.0.0.1' }, load)
    expect(made[1]).toMatchObject({ name: 'openai-compatible', includeUsage: true, baseURL: 'http://127.0.0.1' })
    const own = { name: 'mine', includeUsage: false, baseURL: 'http://127.0.0.1' }
    await createModel('openai-compatible/m', own, load)
    expect(made[4]).toMatchObject(own)
  })

  test('says which setting a provider cannot do without', async () => {
    const { load } = fakePackage('createOpenAICompatible')
    await expect(createModel('openai-compatible/m', { apiKey: 'k' }, load)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: "The model 'openai-compatible/m' needs the setting baseURL.",
    })
  })

  test.each(['claude-opus-4-5', 'anthropic/', '/claude', '', 'nobody/model', 'constructor/model', '__proto__/x'])(
    'says how an id is written: %s',
    async (id) => {
      const never: ImportPackage = () => Promise.reject(new Error('Nothing may be loaded.'))
      await expect(createModel(id, {}, never)).rejects.toMatchObject({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringMatching(
          /^'.*' is not a model's id\. Write provider\/model.*anthropic, openai/,
        ) as string,
      })
    },
  )

  test('names the package to install', async () => {
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
    await expect(createModel('mistral/large', {}, () => Promise.reject(missing))).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: 'This model needs the package @ai-sdk/mistral. Run: npm install @ai-sdk/mistral',
      cause: missing,
    })
  })

  test('names a package that is really not there', async () => {
    await expect(createModel('xai/grok')).rejects.toThrow('npm install @ai-sdk/xai')
  })

  test('says when a package is too old to have what is needed', async () => {
    await expect(createModel('google/gemini', {}, async () => ({}))).rejects.toThrow(
      '@ai-sdk/google has no createGoogleGenerativeAI; install a current version.',
    )
  })

  test('finds the packages that are installed', async () => {
    const settings = { apiKey: 'k', baseURL: 'http://127.0.0.1:9' }
    expect(await createModel('anthropic/claude-opus-4-5', settings)).toMatchObject({ modelId: 'claude-opus-4-5' })
    expect(await createModel('openai-compatible/m', settings)).toMatchObject({ provider: 'openai-compatible.chat' })
  })
})
