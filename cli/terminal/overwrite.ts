import { stat } from 'node:fs/promises'
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
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw usageError(`${fact}: use --force to overwrite it, or name another file`)
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: true })
  try {
    const answer = await reader.question(`${fact}. ${question} [y/N] `)
    if (/^y(es)?$/i.test(answer.trim())) return
    throw new CliError('no file was changed', { exitCode: EXIT.interrupted, code: 'interrupted' })
  } finally {
    reader.close()
  }
}
