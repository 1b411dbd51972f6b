import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { CliError, usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'

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

/**
 * Asks a question on the terminal. Throws `CliError`: `interrupted` when the answer is no, and a usage error that says
 * `without` where there is no terminal to ask on.
 */
async function askYes(
  question: string,
  { refused, without }: { readonly refused: string; readonly without: string },
): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw usageError(without)
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: true })
  try {
    const answer = await reader.question(`${question} [y/N] `)
    if (/^y(es)?$/i.test(answer.trim())) return
    throw new CliError(refused, { exitCode: EXIT.interrupted, code: 'interrupted' })
  } finally {
    reader.close()
  }
}

/** Asks before a step that has no way back. Does nothing with `yes`. Throws as `askYes`. */
export async function confirmFinal(fact: string, yes = false): Promise<void> {
  if (yes) return
  await askYes(`${fact}. There is no way back. Continue?`, {
    refused: 'nothing was changed',
    without: `${fact}, and there is no way back: add --yes to do it without a terminal`,
  })
}
