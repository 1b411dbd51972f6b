import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { EnvironmentError } from '../../../config/environment-error.ts'
import { type CcRoots, NO_ROOTS, openRoots, splitPem } from '../../../core/evidence/cc/roots.ts'

/** Files of the folder, with the part of the document that each of them is. */
const FILES = {
  'snp-report.pem': 'snp-report',
  'nitro-attestation.pem': 'nitro-attestation',
  'nras.json': 'nras',
  'revoked.txt': 'revoked',
} as const

/**
 * Reads the roots that `SVC_CC_ROOTS` names: a folder with `snp-report.pem`, `nitro-attestation.pem`, `nras.json` (a
 * JWKS) and `revoked.txt`, or one JSON file of the same parts. No roots when it is not set. Throws `EnvironmentError`
 * that names the file and the part.
 */
export async function readCcRoots(path: string | undefined): Promise<CcRoots> {
  if (path === undefined) return NO_ROOTS
  try {
    const isFolder = (await stat(path)).isDirectory()
    return openRoots(isFolder ? await readFolder(path) : JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new EnvironmentError('wrong environment variables:', [`SVC_CC_ROOTS: ${path}: ${why}`])
  }
}

async function readFolder(folder: string): Promise<object> {
  const names = new Set(await readdir(folder))
  const parts = Object.entries(FILES).filter(([file]) => names.has(file))
  if (parts.length === 0) throw new Error(`the folder has none of ${Object.keys(FILES).join(', ')}`)
  const read = parts.map(
    async ([file, part]) => [part, partOf(part, await readFile(join(folder, file), 'utf8'))] as const,
  )
  return Object.fromEntries(await Promise.all(read))
}

function partOf(part: (typeof FILES)[keyof typeof FILES], text: string): unknown {
  if (part === 'nras') return JSON.parse(text)
  if (part !== 'revoked') return splitPem(text)
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
}
