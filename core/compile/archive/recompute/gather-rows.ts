import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { hashRows } from '../../rows/split/row-hashes.ts'
import type { NegativeExample, UnlabelledInput } from '../../rows/intake/example.ts'
import type { Row } from '../../rows/task.ts'
import type { ContentMembers } from '../members/content.ts'
import { scoringOf } from '../members/documents.ts'
import type { SeedProvenanceDocument } from '../schemas/build.ts'
import { demand } from '../verify/demand.ts'

/** The rows of a compile in their order, as its stages take them. */
export interface CompiledRows {
  readonly rows: readonly Row[]
  readonly negatives: readonly NegativeExample[]
  /** Inputs without an output. */
  readonly unlabelled: readonly UnlabelledInput[]
}

/** The reason why the rows are not at hand. */
export interface MissingRows {
  readonly missing: string
}

const ADVICE = 'give the rows of the compile with --rows FILE'

/**
 * Returns the rows that an archive was compiled from: those given, or those that its members hold. Throws when they are
 * not the rows whose digests build.json states.
 */
export function gatherRows(
  content: Pick<ContentMembers, 'evals' | 'rows'>,
  seeds: SeedProvenanceDocument,
  given: CompiledRows | undefined,
): CompiledRows | MissingRows {
  const gathered = given === undefined ? rowsHeld(content, seeds) : inCanonicalForm(given)
  if ('missing' in gathered) return gathered
  const { rows } = gathered
  const source = given === undefined ? 'the archive holds' : 'the file gives'
  demand(rows.length === seeds.source_seed_count, `${source} ${rows.length} rows, not ${seeds.source_seed_count}`)
  demand(hashRows(rows) === seeds.seeds_hash, `the rows that ${source} are not those of seeds_hash`)
  return gathered
}

/** Sorts the members of objects, as the rows of a compile and of an archive have them: the search sees their order. */
function inCanonicalForm({ rows, negatives, unlabelled }: CompiledRows): CompiledRows {
  return {
    rows: rows.map((row) => ({ ...row, input: sorted(row.input), output: sorted(row.output) })),
    negatives: negatives.map((one) => ({ ...one, input: sorted(one.input), notOutput: sorted(one.notOutput) })),
    unlabelled: unlabelled.map(({ id, input }) => ({ id, input: sorted(input) })),
  }
}

function sorted(value: Json): Json {
  const copy: Json = JSON.parse(canonicalJson(value))
  return copy
}

function rowsHeld(
  { evals, rows: kept }: Pick<ContentMembers, 'evals' | 'rows'>,
  seeds: SeedProvenanceDocument,
): CompiledRows | MissingRows {
  if (evals.spec === 'svc-evals-2' && evals.digests !== undefined) {
    return { missing: `the archive holds digests of its rows: ${ADVICE}` }
  }
  if (evals.shown < evals.n) return { missing: `the archive shows ${evals.shown} of ${evals.n} scored rows: ${ADVICE}` }
  if (kept?.spec === 'svc-rows-2') {
    return { missing: `the archive holds digests of its rows besides the scored ones: ${ADVICE}` }
  }
  const scoring = scoringOf(evals)
  const isInTurn = scoring === 'cross_fit' || scoring === 'leave_one_out'
  const learned = kept?.learned ?? []
  if (!isInTurn && learned.length === 0) {
    return { missing: `the archive does not hold the ${seeds.train_count} rows that were learned from: ${ADVICE}` }
  }
  const rows: (Row | undefined)[] = Array.from({ length: evals.n + learned.length }, () => undefined)
  for (const { place, id, input, output } of learned) {
    demand(
      place < rows.length && rows[place] === undefined,
      `rows.json: the place of row ${id} is taken or beyond the rows`,
    )
    rows[place] = { id, input, output }
  }
  const scored = evals.rows.values()
  const all = rows.flatMap((row): Row[] => {
    if (row !== undefined) return [row]
    const { value: next } = scored.next()
    if (next === undefined) return []
    const { id, input, expected: output } = next
    return [scoring === 'test_rows' ? { id, input, output, kind: 'test' } : { id, input, output }]
  })
  const { negatives, unlabelled } = kept ?? { negatives: [], unlabelled: [] }
  return {
    rows: all,
    negatives: negatives.map(({ id, input, not_output: notOutput }) => ({ id, input, notOutput })),
    unlabelled: unlabelled.map((input, place) => ({ id: `unlabelled_${place + 1}`, input })),
  }
}
