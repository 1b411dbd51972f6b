import type { z } from 'zod'
import { text as readText } from 'node:stream/consumers'
import type { TypeName } from '../../../core/compile/language/names.ts'
import { typeNameOf } from '../../../core/compile/language/value-types.ts'
import { readLines } from '../../../core/compile/rows/intake/byte-lines.ts'
import type { BaseProvider } from '../../../core/compile/runtime/bases.ts'
import { loadArchive } from '../../../core/compile/runtime/load-archive.ts'
import type { GuardedResult } from '../../../core/compile/runtime/guard.ts'
import { startRecipe, type TokenUsage } from '../../../core/compile/runtime/start-recipe.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { tokensPerSecond } from '../../../core/compile/runtime/tokens-per-second.ts'
import { readArchiveFile } from '../archive-file.ts'
import { withBases } from '../model/bases.ts'
import { toCliError, usageError } from '../../cli-error.ts'
import { RunAnswer, type RunBody } from '../../../core/compile/wire/run.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { readInput, runReadings } from './run-input.ts'
import type { FileFlags } from './run-file.ts'
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

/** One answer, with its `--json` output. */
interface Answer {
  readonly output: Json
  readonly isAbstained: boolean
  /** Whether the input is unlike the examples, so that the answer is in doubt. */
  readonly isUnlike: boolean
  readonly document: unknown
}

/** A recipe that can be called. */
interface Recipe {
  run(input: Json): Promise<Answer>
  /** The types of the inputs that it was evaluated on, where they are known. */
  readonly inputTypes?: ReadonlySet<TypeName>
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
  return await withBases(
    context,
    flags.bases,
    async (bases) => await answer(context, await openOffline(context, target, bases), input, flags),
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

/** Verifies the archive before anything in it runs. An unknown signer causes a warning, not a refusal. */
async function openOffline(context: CliContext, file: string, bases: BaseProvider): Promise<Recipe> {
  const { recipe, guard, content, fingerprint } = await loadArchive(await readArchiveFile(file))
  const { pinned_keys: pinned } = await context.profile()
  if (!pinned.some(({ kid }) => kid === fingerprint)) {
    context.output.warn(`${file} is intact, but its signer ${fingerprint} is not pinned: see svc verify ${file}`)
  }
  const runner = startRecipe(recipe, bases)
  return {
    inputTypes: new Set(content.evals.rows.map((row) => typeNameOf(row.input))),
    run: async (input) => {
      const { result, usage } = await runner.run(input)
      const guarded = guard(input, result)
      const { output, abstained } = guarded
      return {
        output,
        isAbstained: abstained,
        isUnlike: guarded.unlikeExamples === true,
        document: present(guarded, usage),
      }
    },
  }
}

function present({ unlikeExamples, ...result }: GuardedResult, usage: TokenUsage | null) {
  const answer = { ...result, unlike_examples: unlikeExamples }
  if (usage === null) return answer
  const { promptTokens, droppedTokens, newTokens, generationMs } = usage
  return {
    ...answer,
    usage: {
      prompt_tokens: promptTokens,
      dropped_tokens: droppedTokens,
      new_tokens: newTokens,
      tokens_per_second: tokensPerSecond(newTokens, generationMs),
    },
  }
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
