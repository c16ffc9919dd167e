import { defined } from '@cool-ai/beach-core/runtime'
import { FlowError } from '@intentflow/core'
import { ShopError } from '../domain/shop.ts'

/** Runs a call of the shop; what the shop refuses becomes an error that the customer sees. */
export async function asked<Result>(
  code: 'HYDRATION_FAILED' | 'MUTATION_FAILED',
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ShopError)) throw error
    const { appCode, message, details } = error
    const label = appCode === 'CARD_DECLINED' ? 'Use another card' : undefined
    throw new FlowError(code, message, {
      details: { ...details, appCode },
      cause: error,
      recovery: code === 'MUTATION_FAILED' ? [defined({ action: 'modify', label })] : undefined,
    })
  }
}
