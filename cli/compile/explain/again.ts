import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Tolerance } from '../../../core/compile/rows/equality/tolerance.ts'
import { Accepted } from '../../../core/compile/wire/jobs/accepted.ts'
import { usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { requireWritable } from '../../terminal/overwrite.ts'
import { showEnd } from '../show-end.ts'
import type { FitFlags } from '../train/fit-options.ts'

/** Options of `svc compile --from`. */
export interface AgainFlags extends Pick<FitFlags, 'kind' | 'base'> {
  readonly remove?: readonly string[]
  readonly task?: string
  readonly floor?: number
  readonly tolerance?: readonly Tolerance[]
  readonly ask?: number
  readonly async?: boolean
  readonly out?: string
  readonly force?: boolean
}

/** Flags that go with `--from`; every other choice is the earlier job's. */
const FLAGS: readonly string[] = [
  'from',
  'remove',
  'task',
  'floor',
  'tolerance',
  'kind',
  'base',
  'ask',
  'async',
  'out',
  'force',
]

/**
 * `svc compile --from JOB [FILE]`: compiles the examples of an earlier job again, with those of a file in place of the
 * ones with the same id, or added. Answers the exit code that the end deserves.
 */
export async function compileAgain(
  context: CliContext,
  jobId: string,
  file: string,
  flags: AgainFlags,
): Promise<number> {
  const kept = Object.keys(flags).filter((name) => !FLAGS.includes(name))
  if (kept.length > 0) throw usageError(`${kept.map(flagOf).join(', ')}: --from keeps the choice of the earlier job`)
  const client = await context.client()
  if (flags.out !== undefined) await requireWritable(flags.out, flags.force)
  const given = await readChanges(file)
  const examples = given.filter((example) => !isUnanswered(example))
  const left = given.length - examples.length
  if (left > 0) context.output.note(`${left} without an output ${left === 1 ? 'stays' : 'stay'} as before`)
  const accepted = await client.call(`/v1/compile/${encodeURIComponent(jobId)}/again`, Accepted, {
    method: 'POST',
    idempotencyKey: randomUUID(),
    json: {
      ...(examples.length > 0 && { examples }),
      ...(flags.remove !== undefined && { remove: flags.remove }),
      ...(flags.task !== undefined && { task: flags.task }),
      ...(flags.floor !== undefined && { k_score_floor: flags.floor }),
      ...(flags.tolerance !== undefined && { tolerances: flags.tolerance }),
      ...(flags.kind !== undefined && { recipe_kind: flags.kind }),
      ...(flags.base !== undefined && { base_model: flags.base }),
      ...(flags.ask !== undefined && { questions: { max: flags.ask } }),
      mode: 'async',
    },
  })
  if (flags.async === true) {
    context.output.result(accepted, () => `${accepted.job_id} ${accepted.status}\nsvc watch ${accepted.job_id}`)
    return EXIT.ok
  }
  context.output.note(`job ${accepted.job_id}`)
  return await showEnd(context, client, accepted.job_id, flags)
}

/** True for a row to label that `svc rows --examples` wrote and that has no output yet. */
function isUnanswered(example: unknown): boolean {
  return typeof example === 'object' && example !== null && Object.keys(example).toSorted().join() === 'id,input'
}

function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** Reads changed and added examples as JSON or JSONL; none from a terminal. Throws `CliError`. */
async function readChanges(file: string): Promise<readonly unknown[]> {
  if (file === '-' && process.stdin.isTTY) return []
  const given = file === '-' ? await text(process.stdin) : await readText(file)
  if (given.trim() === '') return []
  try {
    if (given.trimStart().startsWith('[')) {
      const list: unknown = JSON.parse(given)
      return Array.isArray(list) ? list : []
    }
    return given
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line): unknown => JSON.parse(line))
  } catch (error) {
    const remedy = 'to compile a corrected spreadsheet, leave --from out'
    throw usageError(`${file}: --from takes JSON lines of {id, input, output}; ${remedy}`, error)
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw usageError(`${file}: cannot be read`, error)
  }
}
