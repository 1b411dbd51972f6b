import { randomBytes } from 'node:crypto'
import { chmod, link, readFile, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './process/process-identity.ts'
import { StackError } from './stack-error.ts'

/** The key that wraps every secret at rest, and whether this call made it. */
export interface MasterKey {
  readonly key: Buffer
  readonly path: string
  readonly isNew: boolean
}

/**
 * The master key of a data folder: 32 random bytes in `master.key`, which only its owner may read. Made on first use;
 * of several processes that make it at once, one wins and all get the same. Throws `StackError` `data_unusable` when
 * the file holds something else.
 */
export async function keepMasterKey(dataDir: string): Promise<MasterKey> {
  const path = join(dataDir, 'master.key')
  const isNew = !(await exists(path)) && (await createOnce(path))
  if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600)
  const text = (await readFile(path, 'utf8')).trim()
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new StackError(
      'data_unusable',
      `${path} is not a master key (64 hex digits). Restore it from a backup: without
it no stored secret can be read.`,
    )
  }
  return { key: Buffer.from(text, 'hex'), path, isNew }
}

/** A text that only its owner may read, written once: the first writer wins. True for the winner. */
async function createOnce(path: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await unlink(draft)
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}
