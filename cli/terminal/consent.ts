import { createInterface } from 'node:readline/promises'
import { CliError, usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'

/**
 * Asks a question on the terminal. Throws `CliError`: `interrupted` when the answer is no, and a usage error that says
 * `without` where there is no terminal to ask on.
 */
export async function askYes(
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
