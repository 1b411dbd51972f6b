import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { usageError } from '../cli-error.ts'
import { askYes } from './consent.ts'

/**
 * Asks before a file is overwritten. Does nothing when there is no such file, or with `force`. Throws `CliError` when the
 * answer is no, and without a terminal.
 */
export async function confirmOverwrite(file: string, force = false): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  if (found?.isFile() === true) await requireConsent(`${file} exists`, 'Overwrite it?', force)
}

/**
 * States a fact and asks whether to continue. Does nothing with `force`. Throws `CliError` when the answer is no, and without a
 * terminal.
 */
export async function requireConsent(fact: string, question: string, force = false): Promise<void> {
  if (force) return
  await askYes(`${fact}. ${question}`, {
    refused: 'no file was changed',
    without: `${fact}: use --force to overwrite it, or name another file`,
  })
}

/**
 * Throws `CliError` when a file cannot be written, before any work is done for it. Asks before an existing one is
 * overwritten, unless `force` is given.
 */
export async function requireWritable(file: string, force?: boolean): Promise<void> {
  if ((await stat(file).catch(() => undefined))?.isDirectory() === true) throw usageError(`${file} is a folder`)
  const folder = dirname(file)
  const found = await stat(folder).catch(() => undefined)
  if (found?.isDirectory() !== true) throw usageError(`cannot write ${file}: there is no folder ${folder}`)
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw usageError(`cannot write ${file}: the folder ${folder} is not writable`, error)
  })
  await confirmOverwrite(file, force)
}
