import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDocuments } from '@cool-ai/beach-missives/documents'
import { onTestFinished } from 'vitest'

export const returns = {
  id: 'returns',
  title: 'Returns',
  url: 'https://shop.example/returns',
  text: '## Deadline\n\nGoods are returned within 30 days.\n\n## Refunds\n\nRefunds arrive within a week.',
}

/** An index in a file of its own, and its path. */
export async function newIndex() {
  const folder = mkdtempSync(join(tmpdir(), 'beach-documents-'))
  const path = join(folder, 'documents.db')
  const index = await openDocuments({ path })
  onTestFinished(() => {
    index.close()
    rmSync(folder, { recursive: true })
  })
  return { path, index }
}
