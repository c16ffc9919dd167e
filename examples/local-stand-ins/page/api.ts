/** Reads or sends something under `/local/api`; what goes wrong is an error with a sentence for the user. */
export async function call<Value>(path: string, body?: unknown): Promise<Value> {
  const sending = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(`/local/api/${path}`, body === undefined ? {} : sending).catch((cause: unknown) => {
    throw new Error('The agent cannot be reached. Is it running?', { cause })
  })
  if (response.status === 204) return undefined as Value
  const value = (await response.json()) as Value & { readonly error?: { readonly message: string } }
  if (!response.ok) throw new Error(value.error?.message ?? `The agent answered ${response.status}.`)
  return value
}
