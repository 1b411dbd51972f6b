import type { z } from 'zod'
import { DiffAnswer } from '../../../core/compile/wire/artifacts/diff.ts'
import type { CliContext } from '../../context.ts'
import { cellText, cutCell, markDifference } from '../../terminal/difference.ts'
import { paint } from '../../terminal/output.ts'
import { formatFacts, formatTable, plainText } from '../../terminal/table.ts'
import { findCid } from './lineage.ts'

/** Rows of a table that are printed; `--json` has all that the server sends. */
const MOST_ROWS = 20

type Diff = z.output<typeof DiffAnswer>

/** `svc artifacts diff`. */
export async function showDiff(context: CliContext, targetA: string, targetB: string): Promise<void> {
  const client = await context.client()
  const diff = await client.call('/v1/artifact/diff', DiffAnswer, {
    method: 'POST',
    json: { a_cid: await findCid(client, targetA), b_cid: await findCid(client, targetB) },
  })
  context.output.result(diff, () => describe(diff))
}

function describe(diff: Diff): string {
  const { a, b, lineage_relation: relation, recommendation, reason, roll_back_hint: hint } = diff
  const facts = formatFacts([
    ['a', `${a.artifact_id}  ${plainText(a.name)}`],
    ['b', `${b.artifact_id}  ${plainText(b.name)}`],
    ['b is to a', relation],
    ['recommended', recommendation.replace('_', ' ')],
  ])
  return [facts, reason, ...(hint === null ? [] : [hint]), axesTable(diff), ...changes(diff), ...rowTables(diff)].join(
    '\n\n',
  )
}

function axesTable({ performance: { axes } }: Diff): string {
  const rows = axes.map(({ axis, direction, a, b, change, p_value: p, n }) => [
    axis,
    figureText(a),
    figureText(b),
    change.replace('_', ' '),
    `${direction} is better`,
    p === null ? '' : `p = ${p.toPrecision(2)} on ${n} rows`,
  ])
  return formatTable(['axis', 'a', 'b', 'b is', '', 'test'], rows)
}

function figureText(value: number | null): string {
  return value === null ? '' : String(Number(value.toPrecision(4)))
}

function changes({ members, recipes }: Diff): readonly string[] {
  const changed = members.filter(({ same }) => !same).map(({ name }) => name)
  const first = changed.length === 0 ? 'all members are the same' : `members that differ: ${changed.join(', ')}`
  if (recipes === null) return [first]
  const lines = [...recipes.programs, ...recipes.hyperparameters]
    .filter(({ same }) => !same)
    .flatMap(({ name, a, b }) => [
      ...(a === null ? [] : [paint('red', `- ${name}: ${cellText(a)}`)]),
      ...(b === null ? [] : [paint('green', `+ ${name}: ${cellText(b)}`)]),
    ])
  const labels = recipes.labels
    .filter(({ only_a: onlyA, only_b: onlyB }) => onlyA.length + onlyB.length > 0)
    .flatMap(({ place, only_a: onlyA, only_b: onlyB }) => [
      ...onlyA.map((label) => paint('red', `- label of ${place}: ${cellText(label)}`)),
      ...onlyB.map((label) => paint('green', `+ label of ${place}: ${cellText(label)}`)),
    ])
  return [[first, ...lines, ...labels].join('\n')]
}

function rowTables({ flipped, performance: { paired }, runs }: Diff): readonly string[] {
  const flips = flipped
    .slice(0, MOST_ROWS)
    .map(({ flip, input, expected, a, b }) => [
      flip,
      b.row_id,
      cutCell(cellText(input)),
      cutCell(cellText(expected)),
      ...markDifference(a.got, b.got),
    ])
  const differing = runs.rows
    .slice(0, MOST_ROWS)
    .map(({ row_a: rowA, row_b: rowB, input, expected, a, b }) => [
      rowB ?? rowA ?? '',
      cutCell(cellText(input)),
      cutCell(cellText(expected)),
      ...markDifference(answerOf(a), answerOf(b)),
    ])
  const ran = `on ${runs.ran} of ${runs.inputs} stored inputs, ${runs.differing} answers differ`
  return [
    ...(flips.length === 0
      ? []
      : [
          `scored rows that flipped: ${paired.lost} lost, ${paired.won} won`,
          formatTable(['', 'row', 'input', 'expected', 'a', 'b'], flips),
        ]),
    runs.why === null ? ran : `not run: ${runs.why}`,
    ...(differing.length === 0 ? [] : [formatTable(['row', 'input', 'expected', 'a', 'b'], differing)]),
  ]
}

function answerOf({ output, abstained, error }: Diff['runs']['rows'][number]['a']) {
  return error ?? (abstained ? 'no answer' : output)
}
