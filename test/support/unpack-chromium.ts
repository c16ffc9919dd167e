import { fileURLToPath } from 'node:url'
import { inflate } from '@sparticuz/chromium'

// A program of its own because `inflate` writes into the process's folder for temporary files, whatever that is.
const packed = new URL('../bin/', import.meta.resolve('@sparticuz/chromium'))
await Promise.all(
  ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'].map((name) => inflate(fileURLToPath(new URL(name, packed)))),
)
