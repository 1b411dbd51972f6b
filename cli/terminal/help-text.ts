import type { HelpView } from '../../core/compile/wire/jobs/explain/help.ts'
import type { JobView } from '../../core/compile/wire/jobs/job.ts'
import { plainText } from './table.ts'

/** Rows that one line of advice names; `--json` has all. */
const NAMED_ROWS = 5

/** Says that a job is not ready for production, and why; empty for one that is, and before its rows were split. */
export function describeProduction({ production_ready: isReady, production_reasons: reasons = [] }: JobView): string {
  return isReady === false ? `not ready: ${reasons.map(({ text }) => text).join('; ')}` : ''
}

/** Describes what would help a gated job, one line each. */
export function describeHelp(job: JobView): string[] {
  const { id, accepted, what_would_help: help = [] } = job
  const few = job.production_reasons?.find((reason) => reason.code === 'few_rows_to_learn_from')
  const more =
    few === undefined
      ? []
      : [`add examples like the wrong rows: ${few.rows} to learn from, ${few.needed} needed for production`]
  // Better rows come before another floor or another kind.
  const ofRows = help.filter(isAboutRows).map((one) => lineOf(one, id))
  const others = help.filter((one) => !isAboutRows(one)).map((one) => lineOf(one, id))
  const lines = [...ofRows, ...more, ...others].map((line, i) => `  ${i + 1}. ${line}`)
  if (accepted?.state === 'pending') return ['The best candidate is accepted and being signed.']
  const commands: [command: string, meaning: string][] = [
    [`svc rows ${id} --wrong --examples > FILE`, 'writes the wrong rows, to correct'],
    [`svc compile --from ${id} FILE`, 'compiles again with corrected and added rows'],
  ]
  if (job.recipe_kind !== undefined) commands.push([`svc accept ${id}`, 'signs the best candidate, below its floor'])
  const width = Math.max(...commands.map(([command]) => command.length))
  return [
    'No artifact was signed.',
    ...(lines.length === 0 ? [] : ['What would help, the most useful first:', ...lines]),
    'Commands:',
    ...commands.map(([command, meaning]) => `  ${command.padEnd(width)}  ${meaning}`),
  ]
}

function isAboutRows({ kind }: HelpView): boolean {
  return kind !== 'lower_floor' && kind !== 'other_kind'
}

function lineOf(help: HelpView, jobId: string): string {
  switch (help.kind) {
    case 'label_rows':
      return `give the outputs of ${nameRows(help.rows)}: svc rows ${jobId} --side to_label --examples > FILE`
    case 'contradictory_rows':
      return contradictions(help)
    case 'odd_rows':
      return `check ${nameRows(help.rows)}: wrong, and ${howOdd(help.rows)}`
    case 'lower_floor':
      return `lower the floor: the best candidate reaches ${help.k_score_floor} (svc compile --from ${jobId} --floor ${help.k_score_floor})`
    case 'other_kind':
      return help.k_score === null
        ? 'let the compile fit an adapter: leave out the base model `none`'
        : `allow the kind ${help.recipe_kind}: it has K ${help.k_score.toFixed(3)}${help.reaches_floor === true ? ', at or above the floor' : ''}`
  }
}

function contradictions({ inputs, rows_removed: rows }: Extract<HelpView, { kind: 'contradictory_rows' }>): string {
  const given = inputs === 1 ? '1 input that has' : `${inputs} inputs that have`
  return `correct ${given} several outputs: ${rows === 1 ? '1 row was' : `${rows} rows were`} left out`
}

function howOdd(rows: Extract<HelpView, { kind: 'odd_rows' }>['rows']): string {
  const reasons = new Set(rows.flatMap((row) => row.reasons))
  const unlike = reasons.has('output_unlike_others') || reasons.has('input_unlike_others')
  return unlike ? 'unlike the other rows' : `no kind of recipe gets ${rows.length === 1 ? 'it' : 'them'} right`
}

function nameRows(rows: readonly { readonly id: string }[]): string {
  const names = rows.slice(0, NAMED_ROWS).map(({ id }) => plainText(id))
  const rest = rows.length - names.length
  return [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}
