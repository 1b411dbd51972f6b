import type { z } from 'zod'
import { text as readText } from 'node:stream/consumers'
import { readLines } from '../../../core/compile/rows/intake/byte-lines.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { toCliError, usageError } from '../../cli-error.ts'
import { RunAnswer, type RunBody } from '../../../core/compile/wire/run.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { readInput, runReadings } from './run-input.ts'
import type { FileFlags } from './run-file.ts'
import type { Answer, Recipe } from './recipe.ts'
import { findSubject, isOnline } from './subject.ts'

/** Calls on their way at one time with `--lines`. */
const CALLS_AT_ONCE = 16
/** Longest line of `--lines`. */
const LINE_BYTES = 64 * 1024 * 1024

/** Options of `svc run`. */
export interface RunFlags extends Partial<FileFlags> {
  readonly text?: boolean
  readonly jsonInput?: boolean
  readonly lines?: boolean
  readonly bases?: string
  readonly cache: boolean
}

/** `svc run`: one input, a line for every line, or the rows of a file. Answers 1 when an input had no answer. */
export async function run(context: CliContext, target: string, input: string, flags: RunFlags): Promise<number> {
  if (flags.csv !== undefined) {
    const { runFile } = await import('./run-file.ts')
    return await runFile(context, target, { ...flags, csv: flags.csv })
  }
  if (isOnline(target)) {
    return await answer(context, await openOnline(context, target, flags.cache), input, flags)
  }
  // What runs an archive is most of the CLI's code, which a run on the server does without.
  const { withArchive } = await import('./run-archive.ts')
  return await withArchive(
    context,
    { file: target, bases: flags.bases },
    async (recipe) => await answer(context, recipe, input, flags),
  )
}

async function answer(context: CliContext, recipe: Recipe, input: string, flags: RunFlags): Promise<number> {
  const reading = flags.text === true ? 'text' : flags.jsonInput === true ? 'json' : 'auto'
  const answerTo = async (text: string) =>
    await runReadings(readInput(text, reading, recipe.inputTypes), async (value) => await recipe.run(value))
  if (flags.lines === true) {
    if (input !== '-') throw usageError('--lines reads standard input: omit the input argument')
    return await runLines(context, answerTo)
  }
  if (input === '-' && process.stdin.isTTY) context.output.note('reading the input from standard input, Ctrl-D ends it')
  const given = input === '-' ? (await readText(process.stdin)).replace(/\r?\n$/, '') : input
  const { document, output, isAbstained, isUnlike } = await answerTo(given)
  context.output.result(document, () => describe(output))
  if (isAbstained) context.output.warn('the recipe abstained: its answer is in doubt')
  else if (isUnlike) context.output.warn('the input is unlike the examples: check the answer')
  return isAbstained ? EXIT.failed : EXIT.ok
}

async function openOnline(context: CliContext, target: string, useCache: boolean): Promise<Recipe> {
  const client = await context.client()
  const subject = await findSubject(client, target)
  return {
    run: async (input) => {
      const json = { ...subject, input, use_cache: useCache } satisfies z.input<typeof RunBody>
      const answer = await client.call('/v1/run', RunAnswer, { method: 'POST', json })
      const { output, abstained: isAbstained, unlike_examples: isUnlike } = answer
      return { output, isAbstained, isUnlike: isUnlike === true, document: answer }
    },
  }
}

async function runLines(context: CliContext, answerTo: (line: string) => Promise<Answer>): Promise<number> {
  let exitCode: number = EXIT.ok
  const running: Promise<Answer | { readonly failure: unknown; readonly line: number }>[] = []
  const write = async () => {
    const answer = await running.shift()
    if (answer === undefined) return
    if ('failure' in answer) {
      exitCode = EXIT.failed
      const { message, code, exitCode: ownCode } = toCliError(answer.failure)
      // An unreachable server or a refused key will not change with the next line.
      if (ownCode === EXIT.unreachable || ownCode === EXIT.denied) throw answer.failure
      if (!context.output.isJson) context.output.warn(`line ${answer.line}: ${message} (${code})`)
      context.output.result({ error: message, code, line: answer.line }, () => '')
      return
    }
    if (answer.isAbstained) exitCode = EXIT.failed
    context.output.result(answer.document, () => describe(answer.output))
  }
  for await (const { number, bytes } of readLines(process.stdin, LINE_BYTES)) {
    const line = Buffer.from(bytes).toString('utf8')
    running.push(answerTo(line).catch((failure: unknown) => ({ failure, line: number })))
    if (running.length >= CALLS_AT_ONCE) await write()
  }
  while (running.length > 0) await write()
  return exitCode
}

/** Formats an answer on one line: text unchanged, everything else as JSON. */
function describe(output: Json): string {
  return typeof output === 'string' ? output : JSON.stringify(output)
}
